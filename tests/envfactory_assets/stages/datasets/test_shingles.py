import random

from envfactory_assets.stages.datasets.shingles import SignatureIndex, jaccard, shingles, words

WORDS = [f"word{number}" for number in range(300)]


def changed(text, count, rng):
    """Replace some words of a text by others."""
    said = text.split()
    for place in rng.sample(range(len(said)), count):
        said[place] = rng.choice(WORDS)
    return " ".join(said)


def test_numbers_and_addresses_are_words_of_their_own():
    assert words("Pay 12.50 to Ann.Lee@example.org, please!") == [
        "pay",
        "12.50",
        "to",
        "ann.lee@example.org",
        "please",
    ]


def test_texts_are_compared_by_three_words_in_a_row():
    assert jaccard(shingles("book the room now"), shingles("Book the room, now!")) == 1
    assert jaccard(shingles("book the room now"), shingles("book the room later")) == 1 / 3
    assert jaccard(shingles("book the room"), shingles("cancel a flight")) == 0


def test_a_text_of_fewer_words_is_compared_as_a_whole():
    assert jaccard(shingles("yes please"), shingles("Yes, please")) == 1
    assert jaccard(shingles("yes please"), shingles("no thanks")) == 0


def test_the_index_finds_every_pair_that_comparing_all_of_them_finds():
    rng = random.Random(3)
    texts = [" ".join(rng.choices(WORDS, k=30)) for _ in range(60)]
    texts += [changed(text, rng.randrange(1, 4), rng) for text in texts]
    sets = [shingles(text) for text in texts]
    index = SignatureIndex()
    found = set()
    for place, own in enumerate(sets):
        found |= {(other, place) for other in index.near(own, 0.6)}
        index.add(own)

    alike = {
        (one, other)
        for other in range(len(sets))
        for one in range(other)
        if jaccard(sets[one], sets[other]) >= 0.6
    }
    assert len(alike) > 20
    assert alike <= found


def test_the_index_grows_beyond_what_it_begins_with():
    index = SignatureIndex()
    for number in range(1100):
        index.add(shingles(f"request number {number} of many"))

    assert 1099 in index.near(shingles("request number 1099 of many"), 0.9)
