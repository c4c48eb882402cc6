"""The catalogue: which files each known dataset has, and what its published statistics are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["planetoid", "npz", "wikics"]


@dataclass(frozen=True)
class DatasetInfo:
    """What is known of a dataset before it is read.

    Attributes:
        title: how people write it.
        kind: the layout of its raw files.
        files: raw file name -> hashes of known good copies, the original's first: ``sha256``
            in hexadecimal, or ``git:`` and the id of the blob in the repository it is from;
            empty where none is known.
        pyg: class in ``torch_geometric.datasets``, its arguments, and the raw folder under the
            root given to it.
        nodes, edges, features, classes: published statistics; edges are unordered pairs
            without self-loops.
        normalize: whether the authors' release divides each feature row by its sum.
    """

    title: str
    kind: Kind
    files: dict[str, tuple[str, ...]]
    pyg: tuple[str, dict[str, object], str]
    nodes: int
    edges: int
    features: int
    classes: int
    normalize: bool = True


def _planetoid(
    title: str, nodes: int, edges: int, features: int, classes: int, hashes: str
) -> DatasetInfo:
    parts = ("x", "tx", "allx", "y", "ty", "ally", "graph", "test.index")
    return DatasetInfo(
        title=title,
        kind="planetoid",
        files={
            f"ind.{title.lower()}.{part}": (sha256,)
            for part, sha256 in zip(parts, hashes.split(), strict=True)
        },
        pyg=("Planetoid", {"name": title}, f"{title}/raw"),
        nodes=nodes,
        edges=edges,
        features=features,
        classes=classes,
    )


DATASETS: dict[str, DatasetInfo] = {
    "cora": _planetoid("Cora", 2708, 5278, 1433, 7, """
        23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab
        b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a
        9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543
        94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1
        41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad
        2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71
        58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d
        297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875
        """),
    "citeseer": _planetoid("CiteSeer", 3327, 4552, 3703, 6, """
        d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6
        539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21
        2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668
        8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924
        55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce
        f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95
        d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7
        2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4
        """),
    "pubmed": _planetoid("PubMed", 19717, 44324, 500, 3, """
        fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33
        4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d
        508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e
        e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3
        ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd
        0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e
        5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9
        b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5
        """),
    "computers": DatasetInfo(
        title="Amazon-Computers",
        kind="npz",
        files={"amazon_electronics_computers.npz": (
            "736ba1d9fd85eac2da83a5ad25c463f04b0031a6ca01563f90a7099d9e8ffb2c",
            "e3a78127c122ce4a6a1bd6effb2112ec2b0ad1f795f5bd98bee206772777ca5e",
        )},
        pyg=("Amazon", {"name": "Computers"}, "Computers/raw"),
        nodes=13752, edges=245861, features=767, classes=10,
    ),
    "photo": DatasetInfo(
        title="Amazon-Photo",
        kind="npz",
        files={"amazon_electronics_photo.npz": (
            "bdb1feb8e6ff42ee44024b04479145029c563fd42fc31bff80af20887ba0439a",
            "2b8d158fa1483bca508de5025cf31c17cf15e63600e294c547e6dc87f3189fe0",
        )},
        pyg=("Amazon", {"name": "Photo"}, "Photo/raw"),
        nodes=7650, edges=119081, features=745, classes=8,
    ),
    "cs": DatasetInfo(
        title="Coauthor-CS",
        kind="npz",
        files={"ms_academic_cs.npz": (
            "933c745734e78908c7eb77172a673fee0503f30e26e5a99b36814d88534c42e3",
            "97045bef4a3baeacb5dd7bb7e9d98d6819443a49c2d3a2858befeeb586fa5a21",
        )},
        pyg=("Coauthor", {"name": "CS"}, "CS/raw"),
        nodes=18333, edges=81894, features=6805, classes=15,
    ),
    "physics": DatasetInfo(
        title="Coauthor-Physics",
        kind="npz",
        files={"ms_academic_phy.npz": (
            "d4e68468eba5fb8f6b280ffd406bd53e6e4295ba1dd2967d6fe99b978e4b3375",
            "82746024cdac110c4ea05587f7c55fc4317c9886a5ebce734dd84e3a70e6fa44",
        )},
        pyg=("Coauthor", {"name": "Physics"}, "Physics/raw"),
        nodes=34493, edges=247962, features=8415, classes=5,
    ),
    "wikics": DatasetInfo(
        title="WikiCS",
        kind="wikics",
        files={"data.json": ("git:f1b743119df1a7a3bca449039c54034ae623a756",)},
        pyg=("WikiCS", {"is_undirected": True}, "raw"),
        # 216,123 as published counts 520 self-loops; both directions and the loops are 431,726
        nodes=11701, edges=215603, features=300, classes=10,
        normalize=False,
    ),
    "corafull": DatasetInfo(
        title="CoraFull",
        kind="npz",
        files={"cora.npz": ()},
        pyg=("CitationFull", {"name": "Cora"}, "cora/raw"),
        nodes=19793, edges=63421, features=8710, classes=70,
    ),
    "dblp": DatasetInfo(
        title="DBLP",
        kind="npz",
        files={"dblp.npz": ("git:3e179a9ebf2968d9ad67544c8978bf4759e489d8",)},
        pyg=("CitationFull", {"name": "DBLP"}, "dblp/raw"),
        nodes=17716, edges=52867, features=1639, classes=4,
    ),
}  # fmt: skip

ALIASES: dict[str, str] = {
    "amazoncomputers": "computers",
    "amazonphoto": "photo",
    "coauthorcs": "cs",
    "coauthorphysics": "physics",
    "coauthorphy": "physics",
    "phy": "physics",
    "wiki": "wikics",
    "citationfulldblp": "dblp",
    "citationfullcora": "corafull",
}


def canonical_name(name: str) -> str | None:
    """The catalogue's name for what a user wrote (``Amazon-Computers``), None if unknown.

    Example:
        >>> canonical_name("Amazon-Computers"), canonical_name("my_graph")
        ('computers', None)
    """
    plain = "".join(c for c in name.lower() if c.isalnum())
    plain = ALIASES.get(plain, plain)
    return plain if plain in DATASETS or plain == "demo" else None
