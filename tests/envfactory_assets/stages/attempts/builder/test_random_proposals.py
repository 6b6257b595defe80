"""Small random proposals: whatever is built of one keeps the rules and passes the gates."""

import ast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandboxes.verification.source_rules import violations

NAMES = ["name", "title", "price", "status", "notes", "type", "due_on", "class", "email", "tags"]
NAMES += [
    "count",
    "state",
    "city",
    "limit",
    "code",
    "first_name",
    "ends_at",
    "is_open",
    "starts_at",
]
TYPES = ["text", "integer", "number", "boolean", "day", "moment", "choice [a|b|c]", "list"]
BOUNDED = ["integer {0..3}", "number {0.5..1}", "text {2..9}", "list {1..2}", "integer {-5..-2}"]
ENTITIES = ["task", "customer", "note", "state", "entry", "delivery_box"]


@st.composite
def sketches(draw):
    entities = draw(st.lists(st.sampled_from(ENTITIES), min_size=1, max_size=3, unique=True))
    made = {"service": "Keep some things", "entities": {}, "tools": []}
    for entity in entities:
        names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
        lines = []
        for name in names:
            kind = draw(st.sampled_from(TYPES + BOUNDED))
            optional = " ?" if draw(st.booleans()) else ""
            lines.append(f"{name}:{kind}{optional}")
        if draw(st.booleans()):
            target = draw(st.sampled_from(entities))
            optional = draw(st.sampled_from(["", " ?"]))
            lines.append(
                f"{target}_ref_id:{draw(st.sampled_from(['text', 'list']))}{optional} >{target}"
            )
        made["entities"][entity] = lines
        made["tools"] += draw(tools(entity, [line.split(":")[0] for line in lines]))
    return made


@st.composite
def tools(draw, entity, names):
    def some(marks):
        chosen = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        return [f"{name}{draw(st.sampled_from(marks))}" for name in chosen]

    ranges = [f"{end}_{name}?" for name in names for end in ("min", "max")]
    pages = draw(
        st.lists(st.sampled_from(["query?", "limit?", "offset?", *ranges]), max_size=4, unique=True)
    )
    asked = draw(st.sampled_from(["", *names]))
    filters = [name if name == asked else f"{name}?" for name in names]
    lines = [
        f"add_{entity} create {entity} {','.join(some(['', '?']))}",
        f"change_{entity} update {entity} {','.join([f'{entity}_id', *some(['', '?'])])}",
        f"drop_{entity} delete {entity} {entity}_id",
        f"show_{entity} read {entity} {entity}_id",
        f"find_{entity} list {entity} {','.join([*filters, *pages])}",
    ]
    some_lines = draw(st.lists(st.sampled_from(lines[1:]), unique=True))
    return [lines[0], *some_lines]


@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(sketch_=sketches())
def test_what_is_built_of_a_random_proposal_passes_every_gate(sketch_, sketch, workshop):
    made = sketch("random_things", sketch_)
    draft, _ = workshop.write(made)
    assert violations(ast.parse(draft.source)) == []
    assert workshop.verify(made).findings == (), draft.source
