from envfactory_resources.home import CHECKOUT, Home


def test_the_home_lies_in_the_checkout_unless_a_variable_names_another(tmp_path):
    assert Home.from_variables({}).root == CHECKOUT / ".envfactory"
    assert Home.from_variables({"ENVFACTORY_HOME": ""}).root == CHECKOUT / ".envfactory"
    assert Home.from_variables({"ENVFACTORY_HOME": str(tmp_path)}).root == tmp_path


def test_everything_lies_under_the_home(tmp_path):
    home = Home(tmp_path)
    folders = [
        getattr(home, name) for name, value in vars(Home).items() if isinstance(value, property)
    ]

    assert len(folders) == len(set(folders)) > 0
    assert {folder.parent for folder in folders} == {tmp_path}


def test_a_home_may_be_given_from_the_home_folder_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))

    assert Home.from_variables({"ENVFACTORY_HOME": "~/data"}).root == tmp_path / "data"
