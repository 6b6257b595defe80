def ids(versions):
    return [version.version_id for version in versions]


def test_lineage_holds_every_ancestor_once_oldest_first(warehouse, put):
    graph = put("tool_graphs", "travel", ["g"])
    links = put("cross_domain_links", None, ["l"], parents=[graph.version_id])
    chains = put("chains", "travel", ["c"], parents=[links.version_id, graph.version_id])
    put("unrelated", None, ["u"])
    assert ids(warehouse.lineage(chains.version_id)) == ids([graph, links])
    assert warehouse.lineage(graph.version_id) == []


def test_lineage_leads_to_the_version_used_not_to_the_current_one(warehouse, put):
    used = put("tool_graphs", "travel", ["g"])
    put("tool_graphs", "travel", ["newer"])
    chains = put("chains", "travel", ["c"], parents=[used.version_id])
    assert ids(warehouse.lineage(chains.version_id)) == [used.version_id]
