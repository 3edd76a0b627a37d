"""The answer of every template once more, by other means than the template's own formula.

Each function is given the answer and the numbers, and says whether the answer fits the story: it
plays the story step by step, counts the cases one by one, searches, or puts the answer back into
the question. None of them uses code of the package.
"""

from __future__ import annotations

import itertools
import math
from datetime import date, datetime, timedelta
from fractions import Fraction


def pascal(n, k):
    row = [1]
    for _ in range(n):
        row = [a + b for a, b in zip([0, *row], [*row, 0], strict=True)]
    return row[k]


def is_root(answer, square):
    """Whether (a, b) stands for the square root of `square`, with b free of squares."""
    outside, inside = answer
    simplest = all(inside % (d * d) for d in range(2, math.isqrt(inside) + 1))
    return simplest and outside > 0 and outside * outside * inside == square


def steps(start, change, until):
    """How many times `change` is added to `start` to get `until`; None if it is passed."""
    count = 0
    while start != until:
        if (change > 0) == (start > until):
            return None
        start += change
        count += 1
    return count


# Word problems.


def change(answer, price, count, paid):
    for _ in range(count):
        paid -= price
    return paid == answer


def tickets(answer, adults, price, children, child_price):
    return sum([price] * adults + [child_price] * children) == answer


def coat_and_shirt(answer, shirt, times, more, voucher):
    coat = answer + voucher - shirt
    return Fraction(coat - more, times) == shirt


def joint_gift(answer, gift, card, friends):
    return sum([answer] * friends) - card == gift


def pen_and_folder(answer, pens, folders, more, total):
    return pens * answer + folders * (answer + more) == total


def bake_sale(answer, sold, price, cost):
    till = -cost
    for _ in range(sold):
        till += price
    return till == answer


def saving_up(answer, goal, saved, weekly):
    return steps(saved, weekly, goal) == answer


def overtime(answer, rate, hours, extra):
    half_hours = [rate / 2] * (2 * hours) + [rate * 0.75] * (2 * extra)
    return sum(half_hours) == answer


def phone_bill(answer, fee, free, minutes, cents):
    return fee + sum(cents for minute in range(1, minutes + 1) if minute > free) == answer


def crates_resold(answer, crates, each, cost, bad, price):
    fruit = [each] * crates
    return price * sum(fruit) - price * bad == answer + sum(cost for _ in fruit)


def library_shelves(answer, shelves, books, lent):
    return Fraction(answer + lent, shelves) == books


def collection(answer, start, given, found):
    return answer - found + given == start


def orchard(answer, rows, trees, kilograms):
    return sum(kilograms for _ in range(rows) for _ in range(trees)) == answer


def packed_boxes(answer, boxes, each, loose):
    return divmod(answer, each) == (boxes, loose)


def heads_and_legs(answer, heads, legs):
    return [n for n in range(heads + 1) if 4 * n + 2 * (heads - n) == legs] == [answer]


def train_stops(answer, start, off, on, second):
    return answer + second - on + off == start


def egg_boxes(answer, hens, eggs, weeks, used):
    laid = sum(eggs for _ in range(weeks) for _ in range(hens))
    return laid == 10 * answer + used


def reading_days(answer, pages, first, daily):
    return steps(first, daily, pages) == answer


def water_tank(answer, start, inflow, outflow, minutes):
    for _ in range(minutes):
        start += inflow
        start -= outflow
    return start == answer


def factory_days(answer, rate, hours, days, lost, faulty):
    return sum([rate] * hours * days) - sum([rate] * lost) == answer + faulty


def three_collections(answer, first, times, fewer):
    second = sum([first] * times)
    return sum([first, second, second - fewer]) == answer


def sum_and_difference(answer, total, more):
    return [n for n in range(total) if n + n + more == total] == [answer]


def seating(answer, rows, seats, empty, standing):
    return Fraction(answer - standing + empty, rows) == seats


def age_sum(answer, older, years, total):
    found = [age for age in range(150) if (age + years) + (age + older + years) == total]
    return found == [answer]


def three_shares(answer, total, more):
    return [n for n in range(total) if (n + more) + n + 2 * n == total] == [answer]


def score_needed(answer, games, mean, target):
    return Fraction(sum([mean] * games) + answer, games + 1) == target


def working_back(answer, sold, left):
    return Fraction(answer, 2) - sold == left


def catching_up(answer, ahead, behind, slow, fast):
    weeks = 0
    while ahead > behind:
        ahead, behind, weeks = ahead + slow, behind + fast, weeks + 1
    return ahead == behind and weeks == answer


def two_stage_trip(answer, speed, hours, second_speed, second_hours):
    return sum([speed] * hours) + sum([second_speed] * second_hours) == answer


def school_run(answer, distance, days):
    metres = 1000 * distance
    return sum(metres for _ in range(days) for _ in ("there", "back")) == 1000 * answer


def arrival(answer, hour, minute, trip, stop):
    end = datetime(2001, 1, 1, hour, minute) + timedelta(minutes=trip) + timedelta(minutes=stop)
    return (end.day, end.hour, end.minute) == (1, *divmod(answer, 60))


def day_of_the_week(answer, start, days):
    monday = date(2001, 1, 1)
    return (monday + timedelta(days=start + days)).weekday() == answer


def delivery_route(answer, distance, consumption, days, spare, price):
    kilometres = sum([distance, distance] * days)
    return math.isclose(kilometres / 100 * consumption * price + spare * price, answer)


def temperature(answer, start, fall, rise):
    return answer - rise + fall == start


def batches(answer, cups, batches):
    return sum([cups] * batches, Fraction(0)) == answer


def parcels(answer, small, light, large, heavy):
    tenths = sum([int(10 * light)] * small) + sum([int(10 * heavy)] * large)
    return tenths == 10 * answer


def hours_of_work(answer, first, minutes, second, longer):
    return sum([minutes] * (first + second)) + sum([longer] * second) == 60 * answer


def candle(answer, length, per_hour, hours, later):
    for _ in range(hours):
        length -= per_hour
    return length - later == answer


def two_machines(answer, slow, fast, alone, total):
    made = hours = 0
    while made < total:
        made += slow if hours < alone else slow + fast
        hours += 1
    return made == total and hours == answer


# Fractions, ratios, percent, rates.


def sum_of_three_fractions(answer, a, b, c):
    common = a.denominator * b.denominator * c.denominator
    return [int(common * part) for part in (a, b)] == [
        int(common * a),
        int(common * (answer + c)) - int(common * a),
    ]


def part_of_a_part(answer, full, used):
    return answer + full * used == full


def whole_from_a_part(answer, first, second, left):
    after_one = answer - answer * first
    return after_one - after_one * second == left


def same_added_to_both(answer, start, end):
    top, bottom = start.as_integer_ratio()
    found = [n for n in range(1, 2_000) if Fraction(top + n, bottom + n) == end]
    return found == [answer]


def nested_fraction(answer, a, b, c):
    return 1 / (1 / (answer - a) - b) == c


def repeating_decimal(answer, whole, block):
    # 100 times the number is the number moved by two places: long division must repeat the block.
    top, rest = divmod(answer.numerator, answer.denominator)
    digits = []
    for _ in range(8):
        digit, rest = divmod(10 * rest, answer.denominator)
        digits.append(digit)
    return top == whole and digits == [block // 10, block % 10] * 4


def cutting_lengths(answer, pieces, each, rest):
    for _ in range(pieces):
        answer -= each
    return answer == rest


def ratio_share(answer, a, b, total):
    return [n for n in range(total) if n * b == (total - n) * a] == [answer]


def percent_of_percent(answer, first, second, total):
    return math.isclose(total * first / 100 * second / 100, answer)


def percent_increase(answer, old, new):
    return old + Fraction(old, 100) * answer == new


def discount_then_tax(answer, price, discount, tax):
    return math.isclose(price * (1 - discount / 100) * (1 + tax / 100), answer)


def two_percent_changes(answer, start, up, down):
    after_up = start + Fraction(start, 100) * up
    return after_up - after_up / 100 * down == answer


def chained_ratio(answer, a, b, c, d):
    q = math.lcm(b, c)
    return Fraction(q // b * a, q // c * d) == answer


def mixture(answer, weak, weak_litres, strong, strong_litres):
    # The lever rule: both sides pull equally from the mean.
    return (answer - weak) * weak_litres == (strong - answer) * strong_litres


def compound_growth(answer, start, percent, years):
    amount = Fraction(start)
    for _ in range(years):
        amount += amount * percent / 100
    return amount == answer


def workers_and_days(answer, workers, days, others):
    return Fraction(workers, others) == Fraction(answer, days)


def fuel(answer, litres, route, distance):
    return math.isclose(answer / distance, litres / route)


def working_together(answer, first, second):
    return answer / first + answer / second == 1


def there_and_back(answer, out, back):
    return Fraction(1, out) + Fraction(1, back) == 2 / answer


def head_start(answer, slow, fast, head_start):
    return Fraction(answer, slow) - Fraction(answer, fast) == head_start


def filling_and_draining(answer, first, second, drain):
    return answer / first + answer / second - answer / drain == 1


# Equations, sequences, polynomials.


def linear_equation(answer, a, b, c):
    return a * answer + b == c


def terms_on_both_sides(answer, a, b, c, d):
    return a * answer - b == c * answer + d


def consecutive_integers(answer, count, total):
    return sum(answer - k for k in range(count)) == total


def linear_inequality(answer, a, b, c):
    relation, bound = answer
    tiny = Fraction(1, 1000)
    return (
        relation == "<"
        and a * (bound - tiny) + b < c
        and not a * bound + b < c
        and not a * (bound + tiny) + b < c
    )


def two_equations(answer, p, q, r, s, u, v):
    # Cramer's rule on the equations that are shown.
    first, second = p * u + q * v, r * u - s * v
    determinant = p * -s - q * r
    m = Fraction(first * -s - q * second, determinant)
    n = Fraction(p * second - first * r, determinant)
    return (m, n) == answer


def quadratic_equation(answer, p, q):
    b, c = -(p + q), p * q
    return tuple(n for n in range(-200, 201) if n * n + b * n + c == 0) == answer


def distance_on_the_line(answer, a, b):
    return tuple(n for n in range(-600, 900) if abs(n - a) == b) == answer


def quadratic_inequality(answer, p, q):
    inside = [n for n in range(-60, 61) if n * n - (p + q) * n + p * q <= 0]
    return answer == ("[", inside[0], inside[-1], "]")


def squares_of_the_roots(answer, b, c):
    root = math.sqrt(b * b - 4 * c)
    return math.isclose(((b - root) / 2) ** 2 + ((b + root) / 2) ** 2, answer)


def distance_of_the_roots(answer, b, c):
    outside, inside = answer
    high = (b + outside * math.sqrt(inside)) / 2
    return is_root(answer, b * b - 4 * c) and math.isclose(high * (b - high), c, abs_tol=1e-6)


def arithmetic_sequence(answer, first, step, position):
    return list(itertools.islice(itertools.count(first, step), position))[-1] == answer


def geometric_sum(answer, first, factor, terms):
    total, term = 0, first
    for _ in range(terms):
        total, term = total + term, term * factor
    return total == answer


def composed_functions(answer, a, b, c, k):
    inner = sum([k] * k) - c
    return sum([inner] * a) + b == answer


def expanded_product(answer, a, b, c, d):
    return all(
        answer[0] * n * n + answer[1] * n + answer[2] == (a * n + b) * (c * n - d)
        for n in range(-3, 4)
    )


def difference_of_polynomials(answer, a, b, c, d, e):
    return all(
        answer[0] * n * n + answer[1] * n + answer[2] + c * n * n - d * n + e == a * n * n + b * n
        for n in range(-3, 4)
    )


# Number theory.


def greatest_common_divisor(answer, part, a, b):
    first, second = part * a, part * b
    return answer == max(n for n in range(1, first + 1) if first % n == second % n == 0)


def least_common_multiple(answer, a, b):
    return answer == next(n for n in itertools.count(a, a) if n % b == 0)


def division_with_remainder(answer, divisor, quotient, remainder):
    return divmod(answer, divisor) == (quotient, remainder)


def sum_of_multiples(answer, factor, limit):
    return sum(n for n in range(1, limit + 1) if n % factor == 0) == answer


def number_in_a_base(answer, number, base):
    digits, written = answer
    return written == base and digits[0] != "0" and int(digits, base) == number


def number_from_a_base(answer, first, second, third, base):
    return int(f"{first}{second}{third}", base) == answer


def divisors_of_a_product(answer, a, b, c):
    product = a * b * c
    low = [n for n in range(1, math.isqrt(product) + 1) if product % n == 0]
    return len({*low, *(product // n for n in low)}) == answer


def power_modulo(answer, base, exponent, modulus):
    return base**exponent % modulus == answer


def two_remainders(answer, p, a, q, b):
    return answer == next(n for n in itertools.count(1) if n % p == a and n % q == b)


# Counting.


def menus(answer, desserts, starters, mains):
    return sum(1 for _ in itertools.product(*map(range, (desserts, starters, mains)))) == answer


def survey(answer, asked, tea, coffee, both):
    only_tea, only_coffee = tea - both, coffee - both
    return only_tea >= 0 <= only_coffee and only_tea + only_coffee + both + answer == asked


def handshakes(answer, people, family):
    pairs = itertools.combinations(range(people), 2)
    return sum(1 for a, b in pairs if a >= family or b >= family) == answer


def committees(answer, women, men, from_women, from_men):
    return pascal(women, from_women) * pascal(men, from_men) == answer


def same_colour(answer, red, blue):
    balls = "r" * red + "b" * blue
    pairs = list(itertools.combinations(balls, 2))
    return Fraction(sum(a == b for a, b in pairs), len(pairs)) == answer


def codes_without_repeats(answer, letters, length, digits):
    words = 1
    for used in range(length):
        words *= letters - used
    return sum([words] * digits) == answer


def grid_paths(answer, right, up, then_right, then_up):
    def paths(x, y):
        return 1 if x == 0 or y == 0 else paths(x - 1, y) + paths(x, y - 1)

    return paths(right, up) * paths(then_right, then_up) == answer


def multiples_of_either(answer, limit, a, b):
    return sum(1 for n in range(1, limit + 1) if n % a == 0 or n % b == 0) == answer


def no_two_together(answer, chairs, painted, colours):
    # ways[k][last]: rows with k painted chairs, by whether the last one is painted.
    ways = [[1, 0]] + [[0, 0] for _ in range(painted)]
    for _ in range(chairs):
        bare = [sum(way) for way in ways]
        full = [0] + [way[0] * colours for way in ways[:-1]]
        ways = [[a, b] for a, b in zip(bare, full, strict=True)]
    return sum(ways[painted]) == answer


# Geometry.


def triangle_angle(answer, first, second):
    return first + second + answer == 180 and answer > 0


def rectangle_perimeter(answer, width, area):
    return width * Fraction(answer - 2 * width, 2) == area


def sector(answer, radius, angle):
    # Many thin triangles from the centre.
    count = 20_000
    turn = math.radians(angle) / count
    return math.isclose(count * radius**2 * math.sin(turn) / 2, answer * math.pi, rel_tol=1e-6)


def hypotenuse(answer, a, b):
    return is_root(answer, a * a + b * b)


def triangular_prism(answer, perimeter, height):
    side = perimeter / 3
    heron = math.sqrt(perimeter / 2 * (perimeter / 2 - side) ** 3)
    outside, inside = answer
    return inside == 3 and math.isclose(heron * height, outside * math.sqrt(inside))


def ring(answer, outer, inner):
    # Pappus: width times the way of the middle.
    return (outer - inner) * 2 * Fraction(outer + inner, 2) == answer


def shadow(answer, pole, shadow, tree_shadow):
    return Fraction(pole, shadow) == answer / tree_shadow


def polygon_angles(answer, first, second):
    # All outer angles of a convex polygon make one full turn.
    return answer == 180 * first - 360 + 180 * second - 360


def rhombus(answer, diagonal, area):
    other = Fraction(2 * area, diagonal)
    return is_root(answer, (other / 2) ** 2 + Fraction(diagonal, 2) ** 2)


def chord(answer, radius, distance):
    outside, inside = answer
    half = outside * math.sqrt(inside) / 2
    return math.isclose(math.hypot(half, distance), radius) and is_root(
        answer, outside * outside * inside
    )


def midpoint(answer, a, b, c, d):
    x, y = answer
    return x - a == c - x and y - b == d - y


def reflection(answer, a, b, line):
    x, y = answer
    return y == b and x - line == line - a


def distance_of_points(answer, a, b, c, d):
    x, y = abs(a - c), abs(b - d)
    return is_root(answer, x * x + y * y)


def box_surface(answer, length, width, height):
    faces = itertools.combinations((length, width, height), 2)
    return sum(a * b for a, b in faces for _ in range(2)) == answer


def cylinder_volume(answer, diameter, height):
    return math.isclose(math.pi * (diameter / 2) ** 2 * height, float(answer) * math.pi)


def domed_tower(answer, radius, height):
    # Slices of the dome, each a thin disc.
    count = 4_000
    dome = sum(radius**2 - (radius * (k + 0.5) / count) ** 2 for k in range(count)) * radius / count
    return math.isclose(dome + radius * radius * height, answer, rel_tol=1e-6)
