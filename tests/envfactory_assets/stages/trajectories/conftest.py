import pytest

from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import ToolCall

SHELF = '''"""A shelf of items."""

import random
from typing import Annotated

from pydantic import Field

from sandboxes.core.annotations import Identifier, Label
from sandboxes.core.clock import Clock
from sandboxes.core.environment import Environment
from sandboxes.core.errors import ToolError
from sandboxes.core.state import Entity, State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import World

ItemId = Annotated[str, Identifier("ItemId")]
AnItem = Annotated[ItemId, Field(description="Which item")]
Title = Annotated[str, Field(description="What it is called", examples=["Vase", "Lamp", "Clock"])]


class Item(Entity):
    title: str
    price: int
    tags: list[str]


class ShelfState(State):
    items: dict[ItemId, Item]


class ItemShown(Result):
    item_id: ItemId = Field(description="Id of the item")
    title: Annotated[str, Label()] = Field(description="What it is called")


class ItemList(Result):
    items: list[ItemShown] = Field(description="Items found")


class Shelf(Environment[ShelfState]):
    """Keep items on a shelf."""

    @tool(effect="read")
    def find_items(
        self,
        min_price: Annotated[int, Field(ge=0, le=10, description="Lowest price")] = 0,
        max_price: Annotated[int, Field(ge=0, le=500, description="Highest price")] = 500,
    ) -> ItemList:
        """Find items by price."""
        return ItemList(
            items=[
                ItemShown(item_id=key, title=item.title)
                for key, item in self.state.items.items()
                if min_price <= item.price <= max_price
            ]
        )

    @tool(effect="write")
    def add_item(self, title: Title) -> ItemShown:
        """Add an item."""
        item_id = self.clock.next_id("IT")
        self.state.items[item_id] = Item(title=title, price=50, tags=[])
        return ItemShown(item_id=item_id, title=title)

    @tool(effect="write")
    def rename_item(self, item_id: AnItem, title: Title) -> ItemShown:
        """Rename an item."""
        self._item(item_id).title = title
        return ItemShown(item_id=item_id, title=title)

    @tool(effect="write")
    def tag_item(
        self,
        item_id: AnItem,
        tag: Annotated[str, Field(description="Word", examples=["old", "red"])],
    ) -> ItemShown:
        """Tag an item."""
        item = self._item(item_id)
        item.tags.append(tag)
        return ItemShown(item_id=item_id, title=item.title)

    def _item(self, item_id: ItemId) -> Item:
        if item_id not in self.state.items:
            raise ToolError(f"There is no item {item_id}.")
        return self.state.items[item_id]

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> ShelfState:
        return ShelfState(
            clock=Clock(now=world.now, counters={"IT": 2}),
            items={
                "IT-1": Item(title="Box", price=60, tags=[]),
                "IT-2": Item(title="Pen", price=90, tags=[]),
            },
        )
'''


@pytest.fixture(scope="session")
def shelf(tmp_path_factory):
    """A catalog of one small environment."""
    root = tmp_path_factory.mktemp("pool")
    (root / "utilities").mkdir()
    (root / "utilities" / "shelf.py").write_text(SHELF)
    return Catalog.discover([(root, "shipped")])


@pytest.fixture(scope="session")
def shelf_scenario(shelf):
    """Two items, `IT-1` for 60 and `IT-2` for 90."""
    return Scenario.draw(shelf, ["utilities.shelf"], 0)


@pytest.fixture(scope="session")
def calls_of():
    """Write calls of the shelf down: pairs of a tool's name and its arguments."""

    def make(*pairs):
        return [ToolCall(tool=f"shelf__{name}", arguments=arguments) for name, arguments in pairs]

    return make
