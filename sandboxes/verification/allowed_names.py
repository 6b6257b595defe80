"""The names that the source of an environment may use: of modules, of builtins, of attributes.

Modules hold other modules (`typing.sys`), and some of their names import or evaluate text, so what
may be used is listed name by name.
"""

import math

ALLOWED_NAMES: dict[str, frozenset[str]] = {
    "random": frozenset({"Random"}),
    "math": frozenset(name for name in dir(math) if not name.startswith("_")),
    "re": frozenset(
        [
            "ASCII",
            "DOTALL",
            "IGNORECASE",
            "MULTILINE",
            "Match",
            "Pattern",
            "VERBOSE",
            "compile",
            "error",
            "escape",
            "findall",
            "finditer",
            "fullmatch",
            "match",
            "search",
            "split",
            "sub",
            "subn",
        ]
    ),
    "enum": frozenset({"Enum", "IntEnum", "StrEnum", "auto", "unique"}),
    "collections": frozenset({"Counter", "OrderedDict", "abc", "defaultdict", "deque"}),
    "collections.abc": frozenset(
        [
            "Callable",
            "Collection",
            "Generator",
            "Hashable",
            "ItemsView",
            "Iterable",
            "Iterator",
            "KeysView",
            "Mapping",
            "MutableMapping",
            "MutableSequence",
            "MutableSet",
            "Sequence",
            "Set",
            "Sized",
            "ValuesView",
        ]
    ),
    "typing": frozenset(
        [
            "Annotated",
            "Any",
            "Callable",
            "ClassVar",
            "Collection",
            "Dict",
            "Final",
            "FrozenSet",
            "Iterable",
            "Iterator",
            "List",
            "Literal",
            "Mapping",
            "MutableMapping",
            "Never",
            "NewType",
            "NoReturn",
            "Optional",
            "Self",
            "Sequence",
            "Set",
            "Tuple",
            "Type",
            "TypeAlias",
            "Union",
            "assert_never",
            "cast",
            "final",
            "overload",
        ]
    ),
    "pydantic": frozenset(
        [
            "AfterValidator",
            "AllowInfNan",
            "BaseModel",
            "ConfigDict",
            "Field",
            "FiniteFloat",
            "JsonValue",
            "NegativeFloat",
            "NegativeInt",
            "NonNegativeFloat",
            "NonNegativeInt",
            "NonPositiveFloat",
            "NonPositiveInt",
            "PositiveFloat",
            "PositiveInt",
            "PrivateAttr",
            "Strict",
            "StrictBool",
            "StrictFloat",
            "StrictInt",
            "StrictStr",
            "StringConstraints",
            "ValidationError",
            "ValidationInfo",
            "field_validator",
            "model_validator",
        ]
    ),
    "sandboxes.core.annotations": frozenset({"Identifier", "Label"}),
    "sandboxes.core.canonical": frozenset({"canonical_json", "content_hash"}),
    "sandboxes.core.clock": frozenset(
        [
            "Clock",
            "Day",
            "Moment",
            "add_days",
            "add_minutes",
            "created_ids",
            "day_of",
            "days_between",
            "minutes_between",
        ]
    ),
    "sandboxes.core.environment": frozenset({"Environment"}),
    "sandboxes.core.errors": frozenset({"ToolError"}),
    "sandboxes.core.state": frozenset({"Change", "Entity", "State", "diff"}),
    "sandboxes.core.tool": frozenset({"Effect", "Result", "tool"}),
    "sandboxes.core.world": frozenset({"City", "Organisation", "Person", "World"}),
}

FORBIDDEN_BUILTINS = frozenset(
    [
        "breakpoint",
        "compile",
        "copyright",
        "credits",
        "delattr",
        "dir",
        "eval",
        "exec",
        "exit",
        "globals",
        "help",
        "input",
        "license",
        "locals",
        "memoryview",
        "open",
        "print",
        "quit",
        "vars",
    ]
)

# Arguments that Pydantic reads as types, and evaluates when they are texts.
FORBIDDEN_ARGUMENTS = frozenset({"json_schema_input_type", "return_type"})

# Frames, code and globals of functions; and what Pydantic's models offer that reads files,
# unpickles or evaluates text.
FORBIDDEN_ATTRIBUTES = frozenset(
    [
        "ag_code",
        "ag_frame",
        "co_code",
        "cr_code",
        "cr_frame",
        "f_back",
        "f_builtins",
        "f_code",
        "f_globals",
        "f_locals",
        "f_trace",
        "from_orm",
        "func_code",
        "func_globals",
        "gi_code",
        "gi_frame",
        "gi_yieldfrom",
        "model_rebuild",
        "mro",
        "parse_file",
        "parse_obj",
        "parse_raw",
        "tb_frame",
        "tb_next",
        "update_forward_refs",
    ]
)
