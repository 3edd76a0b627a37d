"""MetaMathQAEnv."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections import Counter
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ResetNeeded

from ragen_envs.conformance.contract import GARBAGE
from ragen_envs.metamathqa import answers_match
from ragen_envs.metamathqa.env import MetaMathQAEnv, vector_env
from ragen_envs.metamathqa.problems import TYPES
from ragen_envs.splits import SPLITS, split_of
from ragen_envs.testing import check_text_env

DATA = Path(__file__).parent / "data"
DIFFICULTIES = ["normal", "hard"]
ENTRY_POINT = "ragen_envs.metamathqa.env:MetaMathQAEnv"

each_difficulty = pytest.mark.parametrize("difficulty", DIFFICULTIES)


def playing(seed=0, **kwargs):
    env = MetaMathQAEnv(**kwargs)
    env.reset(seed=seed)
    return env


def gold_of(env):
    return env.solution()[0].removeprefix("The answer is: ")


def wrong_answers(env, count):
    """Numbers that are certainly not the answer."""
    far = (str(number) for number in range(987_654_300, 987_654_400))
    return [number for number in far if not answers_match(gold_of(env), number)][:count]


# The contract.


@pytest.mark.parametrize(
    "kwargs",
    [
        {},
        {"difficulty": "hard"},
        {"difficulty": "easy", "max_attempts": 1, "types": ["GSM_SV", "MATH_FOBAR"]},
        {"dataset": str(DATA / "metamath.jsonl"), "split": "validation"},
    ],
    ids=["normal", "hard", "easy", "data"],
)
def test_contract_is_kept(kwargs):
    spec = EnvSpec("test/MetaMathQA-v0", entry_point=ENTRY_POINT, kwargs=kwargs)
    check_text_env(gym.make(spec))


def test_vector_env_plays_the_same_episodes():
    envs = vector_env(num_envs=3, difficulty="hard")
    observations, infos = envs.reset(seed=5)
    singles = [MetaMathQAEnv(difficulty="hard").reset(seed=5 + index) for index in range(3)]
    assert list(observations) == [observation for observation, _ in singles]
    assert list(infos["template"]) == [info["template"] for _, info in singles]


# Questions and answers.


@each_difficulty
@pytest.mark.parametrize("split", SPLITS)
def test_oracle_solves_every_instance(difficulty, split):
    env = MetaMathQAEnv(difficulty=difficulty, split=split)
    for seed in range(300):
        observation, info = env.reset(seed=seed)
        (answer,) = env.solution()
        assert answer not in observation
        assert split_of(env.content()) == split
        _, reward, terminated, truncated, info = env.step(answer)
        assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, True)
        assert env.solution() is None


def test_example_in_the_docstring_is_what_is_shown():
    shown = " ".join(playing(seed=0).observe().split())
    assert shown in " ".join(MetaMathQAEnv.__doc__.split())


def test_observation_is_the_question_and_the_attempts_left():
    env = playing(seed=3)
    question, _, attempts = env.observe().rpartition("\n\n")
    assert question[-1] in "?."
    assert attempts == "Attempts left: 5"
    observation, *_ = env.step("0")
    assert observation == f"Wrong answer.\n\n{question}\n\nAttempts left: 4"


def test_observation_is_the_question_alone_where_there_is_one_attempt():
    several, one = playing(seed=3), playing(seed=3, max_attempts=1)
    assert one.observe() == several.observe().rpartition("\n\n")[0]


def test_info_describes_the_question_and_never_holds_the_answer():
    for seed in range(100):
        env = playing(seed=seed)
        info = env.extra_info()
        assert info["question_type"] in TYPES
        assert info["level"] in (1, 2)
        assert info["topic"] and info["template"] in env.content()
        described = {name: value for name, value in info.items() if name != "attempts_left"}
        assert gold_of(env) not in map(str, described.values()) or info["level"] == int(
            gold_of(env)
        )


@pytest.mark.parametrize("form", ["The answer is: {}", "\\boxed{{{}}}", "{}", "Hm.\n#### {}"])
def test_every_form_of_answer_is_read(form):
    for seed in range(30):
        env = playing(seed=seed)
        _, reward, _, _, info = env.step(form.format(gold_of(env)))
        assert (reward, info["success"]) == (1.0, True), env.observe()


def test_types_limit_what_is_asked():
    env = MetaMathQAEnv(types=("GSM_FOBAR", "MATH_SV"))
    found = Counter(env.reset(seed=seed)[1]["question_type"] for seed in range(200))
    assert set(found) == {"GSM_FOBAR", "MATH_SV"}
    assert min(found.values()) > 60


def test_instructions_state_the_attempts_and_hold_a_right_example():
    one, five = MetaMathQAEnv(max_attempts=1), MetaMathQAEnv()
    assert "attempts" not in one.instructions
    assert five.instructions == one.instructions + (
        "\n\nYou have 5 attempts. The first is worth 1, and each further one half as much as the "
        "one before it. An answer that cannot be read uses one up, too."
    )
    assert one.instructions.endswith("\nThe answer is: 48")
    assert answers_match("48", one.instructions)


# Attempts and rewards.


@pytest.mark.parametrize("earlier", range(5))
def test_right_answer_on_attempt_k_earns_one_over_two_to_the_k(earlier):
    env = playing(seed=1)
    for answer in wrong_answers(env, earlier):
        _, reward, terminated, _, info = env.step(answer)
        assert (reward, terminated, info["action_is_valid"]) == (0.0, False, True)
    _, reward, terminated, truncated, info = env.step(env.solution()[0])
    assert (reward, terminated, truncated, info["success"]) == (0.5**earlier, True, False, True)
    assert info["attempts_left"] == 4 - earlier


@pytest.mark.parametrize("max_attempts", [1, 2, 5])
def test_running_out_of_attempts_terminates(max_attempts):
    env = playing(max_attempts=max_attempts)
    ends = [env.step(answer)[2] for answer in wrong_answers(env, max_attempts)]
    assert ends == [False] * (max_attempts - 1) + [True]
    with pytest.raises(ResetNeeded):
        env.step("1")
    assert env.solution() is None


@each_difficulty
def test_no_return_exceeds_the_reward_of_the_attempt_that_is_right(difficulty):
    """Guesses, repeats, lists of guesses and garbage earn nothing, however they are mixed."""
    rng = np.random.default_rng(0)
    for seed in range(100):
        env = playing(seed=seed, difficulty=difficulty)
        gold = gold_of(env)
        numbers = re.findall(r"\d+", env.observe())
        replies = [*numbers, f"{gold} or {numbers[0]}", f"{numbers[0]}, {gold}", "", "?", gold]
        total, right, terminated = 0.0, None, False
        for attempt, pick in enumerate(rng.permutation(len(replies))[:5].tolist()):
            if terminated:
                break
            _, reward, terminated, _, info = env.step(replies[pick])
            total += reward
            right = attempt if info["success"] else right
        assert total == (0.0 if right is None else 0.5**right)


def test_hedged_answer_is_not_right():
    env = playing(seed=0, types=["GSM_SV"])
    gold = gold_of(env)
    for hedge in (
        f"{gold} or 1",
        f"{gold}, 1",
        f"1 and {gold}",
        f"\\boxed{{{gold}}}, \\boxed{{1}}",
    ):
        assert not env.step(hedge)[4]["success"]


@pytest.mark.parametrize("gold_type", ["number", "word"])
@pytest.mark.parametrize("garbage", GARBAGE, ids=lambda text: repr(text[:12]))
def test_garbage_is_invalid_and_uses_up_an_attempt(garbage, gold_type):
    env = playing(types=["GSM_AnsAug"])
    seeds = iter(range(2_000))
    while (env.extra_info()["template"] == "day_of_the_week") != (gold_type == "word"):
        env.reset(seed=next(seeds))
    observation, reward, terminated, _, info = env.step(garbage)
    assert (reward, terminated, info["attempts_left"]) == (0.0, False, 4)
    assert not info["action_is_valid"]
    assert not info["action_is_effective"]
    assert observation.startswith(f"{info['invalid_reason']}\n\n")
    assert info["invalid_reason"].startswith("Invalid answer: ")


@pytest.mark.parametrize("answer", ["7.25", "seventeen", "$\\pi$", "(-\\infty, \\infty)", "1/5"])
def test_wrong_value_is_valid(answer):
    env = playing(seed=2, types=["MATH_SV"])
    assert env.step(answer)[4]["action_is_valid"]


def test_wrong_word_is_valid_where_a_word_is_asked_for():
    env = playing(types=["GSM_AnsAug"])
    seeds = iter(range(2_000))
    while env.extra_info()["template"] != "day_of_the_week":
        env.reset(seed=next(seeds))
    other = "Monday" if gold_of(env) != "Monday" else "Friday"
    assert env.step(other)[4]["action_is_valid"]


def test_feedback_gives_nothing_away():
    env = playing(types=["GSM_SV"])
    while not gold_of(env).isdigit():
        env.reset()
    near = str(int(gold_of(env)) + 1)
    feedback = {env.step(answer)[0].partition("\n\n")[0] for answer in (near, "-5", "(1, 2)")}
    assert feedback == {"Wrong answer."}
    assert not any(character.isdigit() for character in env.step("?")[4]["invalid_reason"])


def test_attempts_and_end_are_forgotten_at_reset():
    env = playing()
    env.step("1")
    _, info = env.reset(seed=1)
    assert info["attempts_left"] == 5
    assert env.solution() is not None


# Agents that do not solve.


def score(difficulty, answer, episodes=1_500):
    env = MetaMathQAEnv(difficulty=difficulty, split="test", max_attempts=1)
    right = 0
    for seed in range(episodes):
        observation, _ = env.reset(seed=seed)
        right += env.step(answer(env, observation, np.random.default_rng(seed)))[4]["success"]
    return right / episodes


def numbers_in(text):
    return re.findall(r"\d+(?:\.\d+)?", text) or ["0"]


@each_difficulty
@pytest.mark.parametrize("which", ["first", "last", "largest", "any"])
def test_agent_that_copies_a_number_scores_under_a_tenth(difficulty, which):
    pick = {
        "first": lambda numbers, rng: numbers[0],
        "last": lambda numbers, rng: numbers[-1],
        "largest": lambda numbers, rng: max(numbers, key=float),
        "any": lambda numbers, rng: numbers[int(rng.integers(len(numbers)))],
    }[which]
    copied = score(difficulty, lambda env, text, rng: pick(numbers_in(text), rng))
    assert copied < 0.1
    assert copied < 0.02  # by construction it is close to 0


@each_difficulty
def test_most_common_answer_scores_under_a_fiftieth(difficulty):
    env = MetaMathQAEnv(difficulty=difficulty)
    golds = Counter()
    for seed in range(3_000):
        env.reset(seed=seed)
        golds[gold_of(env)] += 1
    for common, _ in golds.most_common(3):
        assert score(difficulty, lambda env, text, rng, common=common: common, 1_000) < 0.02


def total_reward(env, seed, replies):
    """What an episode earns that tries the replies one after the other."""
    env.reset(seed=seed)
    total = 0.0
    for reply in replies:
        _, reward, terminated, _, _ = env.step(reply)
        total += reward
        if terminated:
            break
    return total


@each_difficulty
def test_agent_that_echoes_a_formula_earns_nothing(difficulty):
    """Every formula of the question, with attempts for all, as it is and in another form."""
    env = MetaMathQAEnv(difficulty=difficulty, max_attempts=1_000)
    equal = 0
    for seed in range(2_000):
        question = env.reset(seed=seed)[0].partition("\n\n")[0]
        formulas = [text for text in re.findall(r"\$([^$]+)\$", question) if not text.isdigit()]
        echoes = []
        equal += any(answers_match(gold_of(env), text) for text in formulas)
        for text in formulas:
            forms = (f"({text})", f"\\boxed{{{text}}}", f"n = {text}", f"{text} + 0")
            echoes += [text, forms[seed % len(forms)]]
        assert total_reward(env, seed, echoes) == 0, question
    assert equal > 20  # questions that were paid when only values were compared


@each_difficulty
def test_agent_that_leaves_the_arithmetic_to_the_checker_earns_nothing(difficulty):
    """It knows how to combine the numbers, and even the answer, but it works nothing out."""
    env = MetaMathQAEnv(difficulty=difficulty, max_attempts=1_000)
    equal = 0
    for seed in range(2_000):
        question = env.reset(seed=seed)[0].partition("\n\n")[0]
        rng = np.random.default_rng(seed)
        numbers = numbers_in(question)
        replies = []
        for _ in range(2):
            a, b = (numbers[int(pick)] for pick in rng.integers(len(numbers), size=2))
            replies += [f"{a}*{b}", f"{a}+{b}", f"{a} - {b}", f"\\frac{{{a}}}{{{b}}} * 1", f"{a}^2"]
        gold = gold_of(env).removeprefix("$").replace("\\%", "")
        known = [f"{gold} + 0", f"({gold})*1", f"({gold})^1", f"1\\cdot({gold})", f"0 - -{gold}"]
        if gold.isdigit():
            value = int(gold)
            known += [
                f"{value - 1}+1",
                f"2*{value}/2",
                f"{3 * value}/3",
                f"\\frac{{{5 * value}}}{{5}}",
                f"\\sqrt{{{value * value}}}",
                f"{gold}x/x",
                f"{gold} \\times 1 apples",
                f"x = {value + 1} - 1",
            ]
        equal += answers_match(gold_of(env), known[0])
        replies = rng.permutation([*replies, *known])[:7].tolist()  # all would take a minute
        assert total_reward(env, seed, replies) == 0, (question, gold)
    assert equal > 1_500


@pytest.mark.parametrize(
    "calculation", ["6*7", "20+3", "84/2", "2^3", "\\sqrt{16}", "(8n+7)(10n-9)", "0.\\overline{3}"]
)
def test_calculation_is_invalid_whether_it_is_right_or_not(calculation):
    env = playing(types=["GSM_AnsAug"])
    _, reward, _, _, info = env.step(calculation)
    assert (reward, info["action_is_valid"], info["attempts_left"]) == (0.0, False, 4)
    right = env.solution()[0] + " + 0"
    again = env.step(right)
    assert (again[1], again[4]["action_is_valid"]) == (0.0, False)
    assert again[4]["invalid_reason"] == info["invalid_reason"]
    assert info["invalid_reason"] == "Invalid answer: give the value itself, not a calculation."


def test_factorial_is_no_answer_and_an_exclamation_mark_does_no_harm():
    env = playing(types=["GSM_AnsAug"])
    while gold_of(env) != "24":
        env.reset()
    for calculation in ("4!", "$4!$", "\\boxed{4!}"):
        assert not env.step(calculation)[4]["success"]
    assert env.step("The answer is: 24!")[4]["success"]


@each_difficulty
def test_random_action_is_a_valid_guess(difficulty):
    env = MetaMathQAEnv(difficulty=difficulty)
    rng = np.random.default_rng(0)
    infos = []
    for seed in range(300):
        env.reset(seed=seed)
        infos.append(env.step(env.random_action(rng))[4])
    assert all(info["action_is_valid"] for info in infos)
    assert sum(info["success"] for info in infos) < 6


# Real data.


def test_rows_of_a_split_are_the_instances():
    env = MetaMathQAEnv(dataset=DATA / "metamath.jsonl", split="train")
    assert env.num_instances == 10
    seen = {env.reset(seed=seed)[1]["instance_id"] for seed in range(10)}
    assert seen == {f"train-{row}" for row in range(10)}
    with pytest.raises(ValueError, match="instance_id must be below train-10"):
        env.reset(options={"instance_id": "train-10"})


@pytest.mark.parametrize("name", ["metamath.jsonl", "gsm8k.jsonl", "math.json"])
@pytest.mark.parametrize("split", SPLITS)
def test_oracle_solves_every_row(name, split):
    env = MetaMathQAEnv(dataset=str(DATA / name), split=split)
    for row in range(env.num_instances):
        env.reset(options={"instance_id": f"{split}-{row}"})
        assert split_of(env.content()) == split
        assert env.step(env.solution()[0])[4]["success"]


def test_info_of_a_row_has_its_type_subject_and_level():
    env = MetaMathQAEnv(dataset=DATA / "math.json")
    _, info = env.reset(options={"instance_id": "train-0"})
    assert (info["question_type"], info["template"]) == ("MATH", "")
    assert (info["topic"], info["level"]) == ("Geometry", 2)


def row_env(tmp_path, question, gold):
    row = {"problem": question, "solution": f"It is $\\boxed{{{gold}}}$.", "level": "Level 1"}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    for split in SPLITS:
        try:
            env = MetaMathQAEnv(dataset=path, split=split)
        except ValueError:
            continue
        env.reset(seed=0)
        return env
    raise AssertionError("the row is in no split")


@pytest.mark.parametrize(
    ("question", "gold", "answer", "success"),
    [
        ("Compute $\\frac12 + \\frac13$.", "\\frac56", "\\frac12+\\frac13", False),
        ("Compute $\\frac12 + \\frac13$.", "\\frac56", "5/6", True),
        ("Expand $(n+1)(n+2)$.", "n^2+3n+2", "$(n + 1)(n + 2)$", False),
        ("Expand $(n+1)(n+2)$.", "n^2+3n+2", "n^2 + 3n + 2", True),
        # Only copies are turned away: the gold answers are expressions, too.
        ("Factor $n^2+3n+2$.", "(n+1)(n+2)", "(n+2)(n+1)", True),
        ("What is seven cubed, as a power?", "7^3", "7^3", True),
        ("Which is more, $2^3$ or $3^2$?", "3^2", "3^2", True),
        ("Which is more, $\\frac12$ or $\\frac23$?", "\\frac23", "2/3", True),
    ],
)
def test_in_real_data_a_copied_calculation_is_invalid(tmp_path, question, gold, answer, success):
    _, reward, _, _, info = row_env(tmp_path, question, gold).step(f"The answer is: {answer}")
    assert (info["success"], info["action_is_valid"], reward) == (success, success, float(success))


def test_data_are_no_part_of_the_state():
    env = MetaMathQAEnv(dataset=DATA / "metamath.jsonl")
    env.reset(seed=0)
    state = pickle.dumps(env)
    assert len(state) < 3_000
    observation = env.step("0")[0]
    assert pickle.loads(state).step("0")[0] == observation
    assert copy.deepcopy(env).observe() == env.observe()


# Users' mistakes.


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"difficulty": "harder"}, ValueError, "difficulty must be one of .*'hard'.*'harder'"),
        ({"types": ["GSM"]}, ValueError, "types must be one of .*'GSM_SV'.*'GSM'"),
        ({"types": []}, ValueError, "types must not be empty"),
        ({"types": "GSM_SV"}, TypeError, "types must be a sequence of types"),
        ({"max_attempts": 0}, ValueError, "max_attempts must be >= 1, got 0"),
        ({"max_attempts": 1.5}, TypeError, "max_attempts must be an int"),
        ({"split": "dev"}, ValueError, "split must be one of"),
        ({"dataset": "openai/gsm8k"}, ValueError, "dataset must be 'meta-math/MetaMathQA' or"),
        ({"dataset": 5}, TypeError, "dataset must be a str or a path, got 5"),
        ({"dataset": b"a.json"}, TypeError, "dataset must be a str or a path"),
        ({"dataset": "none.jsonl"}, ValueError, "dataset must be an existing file"),
        (
            {"dataset": DATA / "gsm8k.jsonl", "types": ["GSM_SV"]},
            ValueError,
            "dataset must have a row of split 'train' and types",
        ),
    ],
)
def test_wrong_argument_is_an_error_that_names_it(kwargs, error, message):
    with pytest.raises(error, match=message):
        MetaMathQAEnv(**kwargs)
