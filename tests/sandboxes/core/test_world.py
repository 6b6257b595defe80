from datetime import date

from sandboxes.core.world import World


def test_one_seed_gives_one_world() -> None:
    assert World.draw(2) == World.draw(2)
    assert World.draw(2) != World.draw(3)


def test_nobody_shares_a_name_or_an_address_and_everybody_lives_somewhere() -> None:
    for seed in range(20):
        world = World.draw(seed)
        people = (world.user, *world.people)
        assert len({person.email for person in people}) == len(people) == 9
        assert len({person.name for person in people}) == 9
        assert {person.city for person in people} <= {city.name for city in world.cities}


def test_a_session_starts_on_a_working_day_in_the_morning() -> None:
    for seed in range(20):
        world = World.draw(seed)
        assert date.fromisoformat(world.today).weekday() < 5
        assert world.now.startswith(world.today)
        assert "08:00" <= world.now[11:] < "11:00"
