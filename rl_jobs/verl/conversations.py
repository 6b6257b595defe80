# pyright: basic, reportMissingImports=false
# verl stands in an environment of its own, and its types are partly unknown.
"""verl's SFT data set over rows whose messages and tools are JSON text (see `data_files`)."""

import json
from typing import Any

from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset


class JsonConversations(MultiTurnSFTDataset):
    """Conversations that are trained on as they were written.

    verl's own data set reads Arrow structs, which are padded with nulls to one shape; a model would
    be trained on the nulls.
    """

    def _read_files_and_process(self) -> None:
        super()._read_files_and_process()
        if self.tools is not None:
            self.tools = [json.loads(text) for text in self.tools]

    def _build_messages(self, example: dict[str, Any]) -> list[dict[str, Any]]:
        return json.loads(example[self.messages_key])
