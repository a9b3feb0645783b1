"""Graph neural networks of torch_geometric, on a graph of twenty nodes and sixty edges."""

from __future__ import annotations

from tests.zoo.entries.building import in_turn
from tests.zoo.entry import Entry

_GRAPH = "\nx, edges, y = torch.randn(20, 8), torch.randint(0, 20, (2, 60)), torch.randint(0, 3, (20,))"
_NODES = "F.cross_entropy(model(x, edges), y)"
_MOLECULES = """
z, pos, batch = torch.randint(1, 9, (12,)), torch.randn(12, 3) * 2, torch.tensor([0] * 6 + [1] * 6)
y = torch.randn(2)"""
_TYPES = "\nkinds = torch.randint(0, 4, (60,))"

_BEFORE = {
    "SchNet": """
ones, others = torch.tensor([[a + k, b + k] for k in (0, 6) for a in range(6) for b in range(6) if a != b]).T


def nearby(pos, batch):  # all pairs of each molecule
    return torch.stack([ones, others]), (pos[ones] - pos[others]).norm(dim=-1)


""",
    "VGAE": """

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.mean, self.spread = GCNConv(8, 16), GCNConv(16, 4), GCNConv(16, 4)

    def forward(self, x, edges):
        x = self.first(x, edges).relu_()
        return self.mean(x, edges), self.spread(x, edges)


""",
}

_MODELS = (  # name, what is imported, how it is constructed, more data, loss
    ("GCN", "GCN", "GCN(8, 16, 2, 3, dropout=0.1)", _GRAPH, _NODES),
    ("GraphSAGE", "GraphSAGE", "GraphSAGE(8, 16, 2, 3, aggr='max')", _GRAPH, _NODES),
    ("GIN", "GIN", "GIN(8, 16, 2, 3, norm='batch_norm')", _GRAPH, _NODES),
    ("GAT", "GAT", "GAT(8, 16, 2, 3, heads=2, v2=True, dropout=0.1)", _GRAPH, _NODES),
    ("PNA", "PNA", "PNA(8, 16, 2, 3, aggregators=['mean', 'std', 'max'], scalers=['identity', 'amplification'], deg=torch.tensor([1, 4, 8, 4, 3]))",
     _GRAPH, _NODES),
    ("EdgeCNN", "EdgeCNN", "EdgeCNN(8, 16, 2, 3)", _GRAPH, _NODES),
    ("GraphUNet", "GraphUNet", "GraphUNet(8, 16, 3, depth=2)", _GRAPH, _NODES),
    ("ChebConv", "ChebConv", "ChebConv(8, 3, K=3)", _GRAPH, _NODES),
    ("GatedGraphConv", "GatedGraphConv", "GatedGraphConv(8, num_layers=3)", _GRAPH, _NODES),
    ("TransformerConv", "TransformerConv", "TransformerConv(8, 3, heads=2, concat=False, beta=True)", _GRAPH, _NODES),
    ("ARMAConv", "ARMAConv", "ARMAConv(8, 3, num_stacks=2, num_layers=2)", _GRAPH, _NODES),
    ("GPSConv", "GPSConv, GINConv", "GPSConv(8, GINConv(nn.Linear(8, 8)), heads=2)", _GRAPH, _NODES),
    ("RGCNConv", "RGCNConv", "RGCNConv(8, 3, num_relations=4, num_bases=2)", _GRAPH + _TYPES, "F.cross_entropy(model(x, edges, kinds), y)"),
    ("LightGCN", "LightGCN", "LightGCN(20, 8, 2)", _GRAPH, "model.recommendation_loss(*model(edges, edges[:, :40]).chunk(2), lambda_reg=1e-4)"),
    ("DeepGCNLayer", "DeepGCNLayer, GENConv, LayerNorm", "DeepGCNLayer(GENConv(8, 8, learn_t=True), LayerNorm(8), nn.ReLU(), ckpt_grad=True)",
     _GRAPH + "\nx.requires_grad_()", "F.cross_entropy(model(x, edges), y)"),
    ("SchNet", "SchNet", "SchNet(16, 16, 2, 8, cutoff=6.0, interaction_graph=nearby)", _MOLECULES,
     "F.mse_loss(model(z, pos, batch).squeeze(-1), y)"),
    ("AttentiveFP", "AttentiveFP", "AttentiveFP(8, 16, 3, 4, num_layers=2, num_timesteps=2)",
     _GRAPH + "\nfeatures, batch = torch.randn(60, 4), torch.arange(20) // 10", "F.cross_entropy(model(x, edges, features, batch), y[:2])"),
    ("VGAE", "VGAE, GCNConv", "VGAE(Encoder())", _GRAPH, "model.recon_loss(model.encode(x, edges), edges) + model.kl_loss() / 20"),
    ("Set2Set", "Set2Set", "Set2Set(8, processing_steps=2)", _GRAPH + "\nbatch = torch.arange(20) // 10", "model(x, batch).square().mean()"),
)  # fmt: skip

ENTRIES = [
    Entry(
        f"torch_geometric {name}",
        "torch_geometric",
        "vae" if name == "VGAE" else "graph",
        f"from torch_geometric.nn import {names}\n{_BEFORE.get(name, '')}model = {call}{data}",
        loss,
        in_turn(number),
        train=name != "EdgeCNN",
    )
    for number, (name, names, call, data, loss) in enumerate(_MODELS)
]
