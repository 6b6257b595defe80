from envfactory_resources.clients.web_search.ranking import rank, terms_of


def test_a_rare_word_counts_more_than_a_common_one():
    documents = [["auction", "bid"], ["auction", "order"], ["auction", "order"]]

    assert rank("auction bid", documents)[0] == 0


def test_a_short_document_comes_before_a_long_one_that_says_as_much():
    documents = [["bid", *["word"] * 50], ["bid", "word"]]

    assert rank("bid", documents) == [1, 0]


def test_equal_documents_keep_their_order_and_others_are_left_out():
    assert rank("bid", [["bid"], ["order"], ["bid"], []]) == [0, 2]


def test_nothing_matches_nothing():
    assert rank("", [["bid"]]) == []
    assert rank("bid", []) == []


def test_names_in_code_are_taken_apart():
    assert terms_of("POST /auctions/{auction_id}/bids") == [
        "post",
        "auctions",
        "auction",
        "id",
        "bids",
    ]
