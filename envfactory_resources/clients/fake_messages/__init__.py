"""A Messages endpoint on loopback that plays a script, for tests of roles and for dry runs.

    script = [
        ScriptLine(StructuredReply({"verdict": True}), role="judge", times=None),
        ScriptLine(ToolCallsReply([("shop__search", {"text": "lamp"})]), last_user="a lamp"),
        ScriptLine(TextReply("Here you are."), sequence=2),
    ]
    with FakeMessages(script) as fake:
        model = LanguageModel(model="fake", base_url=fake.url, cache_dir=folder)

Here: `server` (FakeMessages), `script` (ScriptLine), `replies` (what a line can answer), `requests`
(what was received, and whether the real endpoint would take it).
Not here: anything that answers by itself; a fake says what the script says.
"""
