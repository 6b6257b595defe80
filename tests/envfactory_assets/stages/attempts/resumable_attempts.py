"""A run in a process of its own that is killed when the verifier is asked for the n-th time.

`python resumable_attempts.py <endpoint> <folder> <kill at>`; 0 lets it come to its end, and prints
the rows.
"""

import os
import runpy
import signal
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(url, folder, kill_at):
    from envfactory_assets.records.proposals import EnvironmentProposal
    from envfactory_assets.stages.attempts.loop import attempt_environment
    from envfactory_assets.stages.attempts.model_coder import ModelCoder
    from envfactory_assets.stages.attempts.model_tester import ModelTester
    from envfactory_assets.stages.attempts.settings import GenerationSettings
    from envfactory_assets.stages.model_role import ModelRole
    from envfactory_resources.clients.language_model.language_model import LanguageModel

    direct = runpy.run_path(str(HERE / "conftest.py"))["DirectVerifier"]

    class Killed(direct):
        def verify(self, source, *, measures_mutation):
            if len(self.verified) + 1 == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().verify(source, measures_mutation=measures_mutation)

    text = (HERE / "meeting_rooms" / "proposal.json").read_text()
    settings = GenerationSettings(measures_mutation=False)
    with LanguageModel(model="fake-1", base_url=url, cache_dir=folder / "replies") as model:
        rows = attempt_environment(
            EnvironmentProposal.model_validate_json(text),
            ModelCoder(ModelRole(model, "coder", settings.coder_max_tokens)),
            ModelTester(ModelRole(model, "tester", settings.tester_max_tokens), settings),
            Killed(),
            settings,
            folder / "scratch",
        )
    sys.stdout.write("".join(f"{row.model_dump_json()}\n" for row in rows))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
