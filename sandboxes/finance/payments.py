"""Payments: accounts, transactions, payees, payments now and later, requests, cards, budgets."""

import random
from typing import Annotated, Literal

from pydantic import Field

from sandboxes.core.annotations import Identifier, Label
from sandboxes.core.clock import Clock, Day, add_days, days_between
from sandboxes.core.environment import Environment
from sandboxes.core.errors import ToolError
from sandboxes.core.state import Entity, State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import World

AccountId = Annotated[str, Identifier("AccountId")]
PayeeId = Annotated[str, Identifier("PayeeId")]
TransactionId = Annotated[str, Identifier("TransactionId")]
PaymentId = Annotated[str, Identifier("PaymentId")]
EmailAddress = Annotated[str, Identifier("EmailAddress", speakable=True)]
AccountKind = Literal["checking", "savings"]
SpendingCategory = Literal["bills", "groceries", "housing", "leisure", "transport"]
TransactionCategory = Literal[SpendingCategory, "income", "transfer"]
ScheduleStatus = Literal["pending", "cancelled", "paid"]
CardStatus = Literal["active", "frozen"]
RequestStatus = Literal["open", "paid"]
Amount = Annotated[float, Field(ge=1, le=1000, multiple_of=0.01)]
Note = Annotated[str, Field(max_length=60, examples=["Dinner on Friday", "Half of the taxi"])]

_MAX_DAYS_AHEAD = 365
_CANCEL_DAYS = 2


class Account(Entity):
    """An account of the user; a savings account pays nobody, has no card and may be locked."""

    name: str
    kind: AccountKind
    balance: float
    overdraft: float
    daily_limit: float
    locked_until: Day | None
    card: CardStatus | None


class Payee(Entity):
    """Somebody the user pays; payments count towards the budget of the category."""

    name: str
    email: EmailAddress
    category: SpendingCategory


class Transaction(Entity):
    """Money in (positive) or out (negative); `payee_id` marks payments made to a payee."""

    account_id: AccountId
    description: str
    category: TransactionCategory
    amount: float
    day: Day
    payee_id: PayeeId | None


class ScheduledPayment(Entity):
    """A payment to be made on a later day."""

    account_id: AccountId
    payee_id: PayeeId
    amount: float
    due_on: Day
    reference: str
    status: ScheduleStatus


class MoneyRequest(Entity):
    """Money that the user asked somebody for."""

    email: EmailAddress
    amount: float
    reason: str
    status: RequestStatus


class PaymentsState(State):
    """The user's accounts and what belongs to them; budgets are monthly limits by category."""

    owner_email: EmailAddress
    accounts: dict[str, Account]
    payees: dict[str, Payee]
    transactions: dict[str, Transaction]
    payments: dict[str, ScheduledPayment]
    requests: dict[str, MoneyRequest]
    budgets: dict[SpendingCategory, float]


class AccountDetails(Result):
    """An account with what can be done with it today."""

    account_id: AccountId = Field(description="Id of the account")
    name: Annotated[str, Label()] = Field(description="Name of the account")
    kind: AccountKind = Field(description="Whether it is for payments or for savings")
    balance: float = Field(description="Money on the account, negative when overdrawn")
    available: float = Field(description="Money that can leave it, overdraft included")
    left_today: float = Field(description="What can still be paid to payees today")
    locked_until: Day | None = Field(description="First day on which money can be taken out")
    card: CardStatus | None = Field(description="Whether its card works, null without a card")


class AccountList(Result):
    """The user's accounts."""

    accounts: list[AccountDetails] = Field(description="Accounts, by name")


class TransactionDetails(Result):
    """One movement of money."""

    transaction_id: TransactionId = Field(description="Id of the transaction")
    description: Annotated[str, Label()] = Field(description="Shop, payee or purpose")
    category: TransactionCategory = Field(description="Category it is filed under")
    amount: float = Field(description="Money in, or out when negative")
    day: Day = Field(description="Day on which it was booked")


class TransactionList(Result):
    """Transactions of one account."""

    transactions: list[TransactionDetails] = Field(description="Transactions, latest first")
    net: float = Field(description="Sum of the amounts shown")


class PayeeDetails(Result):
    """A saved payee."""

    payee_id: PayeeId = Field(description="Id of the payee")
    name: Annotated[str, Label()] = Field(description="Name the payee is saved under")
    email: EmailAddress = Field(description="E-mail address of the payee")
    category: SpendingCategory = Field(description="Budget that payments count towards")
    requested: float = Field(description="Money the user has asked them for, still open")


class PayeeList(Result):
    """The user's payees."""

    payees: list[PayeeDetails] = Field(description="Payees, by name")


class PaymentDetails(Result):
    """A payment and what it leaves."""

    transaction_id: TransactionId = Field(description="Id of the booked transaction")
    payee_id: PayeeId = Field(description="Id of the paid payee")
    name: Annotated[str, Label()] = Field(description="Name of the paid payee")
    amount: float = Field(description="Money paid")
    balance: float = Field(description="Balance of the account after the payment")
    left_today: float = Field(description="What the account can still pay today")
    budget_left: float | None = Field(description="Rest of the month's budget, null without one")


class ScheduledDetails(Result):
    """A scheduled payment in full."""

    payment_id: PaymentId = Field(description="Id of the scheduled payment")
    account_id: AccountId = Field(description="Id of the account it will leave")
    payee_id: PayeeId = Field(description="Id of the payee it is for")
    title: Annotated[str, Label()] = Field(description="What it is, with the payee's name")
    amount: float = Field(description="Money to be paid")
    due_on: Day = Field(description="Day on which it is paid")
    reference: str = Field(description="Text that the receiver sees, may be empty")
    status: ScheduleStatus = Field(description="Whether it is still to come")


class ScheduledList(Result):
    """The user's scheduled payments."""

    payments: list[ScheduledDetails] = Field(description="Payments by day")


class RequestDetails(Result):
    """Money asked for."""

    email: EmailAddress = Field(description="E-mail address of the person asked")
    amount: float = Field(description="Money asked for")
    reason: str = Field(description="Why it is asked for")
    status: RequestStatus = Field(description="Whether it was paid")
    open_total: float = Field(description="Everything asked for and not paid yet")


class BudgetDetails(Result):
    """A monthly budget and how much of it is used."""

    category: SpendingCategory = Field(description="Category of spending")
    monthly_limit: float = Field(description="Most that may be spent in a month")
    spent: float = Field(description="Spent in this month so far")
    left: float = Field(description="Rest of the limit in this month")


class Payments(Environment[PaymentsState]):
    """Look at accounts, pay people now or later, ask for money, and control cards and budgets."""

    @tool(effect="read", phrasings=("list my[ {kind}] accounts", "show my[ {kind}] balances"))
    def list_accounts(
        self,
        kind: Annotated[AccountKind | None, Field(description="Only accounts for this use")] = None,
    ) -> AccountList:
        """List the user's accounts with their balances, by name."""
        keys = [key for key, a in self.state.accounts.items() if kind is None or a.kind == kind]
        return self._account_list(keys)

    @tool(
        effect="read",
        phrasings=(
            "list the[ {category}] transactions of {account_id}[ since {since}][ until {until}]"
            "[ of at least {min_amount}]",
        ),
    )
    def list_transactions(
        self,
        account_id: Annotated[AccountId, Field(description="Id of the account")],
        category: Annotated[TransactionCategory | None, Field(description="Only such ones")] = None,
        since: Annotated[Day | None, Field(description="First day to show")] = None,
        until: Annotated[Day | None, Field(description="Last day to show")] = None,
        min_amount: Annotated[float | None, Field(ge=1, description="Smallest, in or out")] = None,
    ) -> TransactionList:
        """List the transactions of an account, latest first."""
        self._account(account_id)
        if since and until and until < since:
            raise ToolError(f"The last day {until} lies before the first day {since}; swap them.")
        hidden = {"account_id", "payee_id"}
        found = [
            TransactionDetails(transaction_id=key, **entry.model_dump(exclude=hidden))
            for key, entry in self.state.transactions.items()
            if entry.account_id == account_id
            and (category is None or entry.category == category)
            and (since is None or entry.day >= since)
            and (until is None or entry.day <= until)
            and (min_amount is None or abs(entry.amount) >= min_amount)
        ]
        found.sort(key=lambda entry: (entry.day, int(entry.transaction_id[3:])), reverse=True)
        return TransactionList(transactions=found, net=_cents(sum(t.amount for t in found)))

    @tool(effect="read", phrasings=("list my payees[ with the e-mail address {email}]",))
    def list_payees(
        self,
        email: Annotated[EmailAddress | None, Field(description="Only the payee with it")] = None,
    ) -> PayeeList:
        """List the saved payees, by name."""
        payees = [
            self._payee_details(key)
            for key, payee in self.state.payees.items()
            if email is None or payee.email == email
        ]
        return PayeeList(payees=sorted(payees, key=lambda payee: payee.name))

    @tool(effect="write", phrasings=("save {payee_name} at {email} as a {category} payee",))
    def add_payee(
        self,
        payee_name: Annotated[
            str, Field(description="New name to save them under", examples=["Piano Teacher", "Gym"])
        ],
        email: Annotated[EmailAddress, Field(description="E-mail address of the payee")],
        category: Annotated[SpendingCategory, Field(description="Budget for payments to them")],
    ) -> PayeeDetails:
        """Save a payee under a new name and e-mail address."""
        if email == self.state.owner_email:
            raise ToolError(f"{email} is your own address; transfer between your accounts instead.")
        for payee in self.state.payees.values():
            if email == payee.email or payee_name == payee.name:
                raise ToolError(f"{payee.name} at {payee.email} is saved already; pay them.")
        payee_id = self.clock.next_id("PY")
        self.state.payees[payee_id] = Payee(name=payee_name, email=email, category=category)
        return self._payee_details(payee_id)

    @tool(effect="write", phrasings=("move {amount} from {from_account_id} to {to_account_id}",))
    def transfer(
        self,
        from_account_id: Annotated[AccountId, Field(description="Id of the account to take from")],
        to_account_id: Annotated[AccountId, Field(description="Id of the account to put it on")],
        amount: Annotated[Amount, Field(description="Money to move")],
    ) -> AccountList:
        """Move money between two of the user's accounts and show both."""
        source, target = self._account(from_account_id), self._account(to_account_id)
        if from_account_id == to_account_id:
            raise ToolError(f"Both accounts are {source.name}; choose two different accounts.")
        if source.locked_until and self.clock.today < source.locked_until:
            raise ToolError(f"{source.name} is locked until {source.locked_until}.")
        _check_funds(source, amount)
        self._book(from_account_id, f"Transfer to {target.name}", "transfer", -amount)
        self._book(to_account_id, f"Transfer from {source.name}", "transfer", amount)
        return self._account_list([from_account_id, to_account_id])

    @tool(
        effect="write",
        phrasings=("pay {payee_id} {amount} from {account_id} now[ saying '{reference}']",),
    )
    def pay_payee(
        self,
        account_id: Annotated[AccountId, Field(description="Id of the checking account")],
        payee_id: Annotated[PayeeId, Field(description="Id of the payee")],
        amount: Annotated[Amount, Field(description="Money to pay")],
        reference: Annotated[Note, Field(description="Text that the payee sees")] = "",
    ) -> PaymentDetails:
        """Pay a payee now, within the balance, the account's daily limit and the budget."""
        account, payee = self._account(account_id), self._payee(payee_id)
        self._check_payment(account_id, amount, self.clock.today)
        _check_funds(account, amount)
        limit = self.state.budgets.get(payee.category)
        left = None if limit is None else _cents(limit - self._spent(payee.category) - amount)
        if left is not None and left < 0:
            raise ToolError(f"The {payee.category} budget lacks {-left:.2f} for this; raise it.")
        text = f"{payee.name}: {reference}" if reference else payee.name
        return PaymentDetails(
            transaction_id=self._book(account_id, text, payee.category, -amount, payee_id),
            payee_id=payee_id,
            name=payee.name,
            amount=amount,
            balance=account.balance,
            left_today=self._left_on(account_id, self.clock.today),
            budget_left=left,
        )

    @tool(
        effect="write",
        phrasings=("pay {payee_id} {amount} from {account_id} on {due_on}[ saying '{reference}']",),
    )
    def schedule_payment(
        self,
        account_id: Annotated[AccountId, Field(description="Id of the checking account")],
        payee_id: Annotated[PayeeId, Field(description="Id of the payee")],
        amount: Annotated[Amount, Field(description="Money to pay")],
        due_on: Annotated[Day, Field(description="Day to pay on, tomorrow or later")],
        reference: Annotated[Note, Field(description="Text that the payee sees")] = "",
    ) -> ScheduledDetails:
        """Schedule a payment to a payee, within the account's limit for that day."""
        self._payee(payee_id)
        days = days_between(self.clock.today, due_on)
        if not 1 <= days <= _MAX_DAYS_AHEAD:
            raise ToolError(f"{due_on} is {days} days ahead; choose 1 to {_MAX_DAYS_AHEAD}.")
        self._check_payment(account_id, amount, due_on)
        payment_id = self.clock.next_id("SP")
        self.state.payments[payment_id] = ScheduledPayment(
            account_id=account_id,
            payee_id=payee_id,
            amount=amount,
            due_on=due_on,
            reference=reference,
            status="pending",
        )
        return self._scheduled_details(payment_id)

    @tool(effect="read", phrasings=("list my[ {status}] scheduled payments",))
    def list_scheduled_payments(
        self,
        status: Annotated[ScheduleStatus | None, Field(description="Only such payments")] = None,
    ) -> ScheduledList:
        """List the scheduled payments, soonest first."""
        payments = [
            self._scheduled_details(key)
            for key, payment in self.state.payments.items()
            if status is None or payment.status == status
        ]
        payments.sort(key=lambda payment: (payment.due_on, int(payment.payment_id[3:])))
        return ScheduledList(payments=payments)

    @tool(effect="write", phrasings=("cancel {payment_id}",))
    def cancel_scheduled_payment(
        self, payment_id: Annotated[PaymentId, Field(description="Id of the scheduled payment")]
    ) -> ScheduledDetails:
        """Cancel a pending payment at least two days before it is due."""
        payment = self.state.payments.get(payment_id)
        if payment is None:
            raise ToolError(f"There is no scheduled payment {payment_id!r}; list them first.")
        if payment.status != "pending":
            raise ToolError(f"Payment {payment_id} is {payment.status}, not pending.")
        if days_between(self.clock.today, payment.due_on) < _CANCEL_DAYS:
            raise ToolError(f"{payment_id} is due on {payment.due_on}, less than 2 days from now.")
        payment.status = "cancelled"
        return self._scheduled_details(payment_id)

    @tool(effect="write", phrasings=("ask {email} for {amount} because of '{reason}'",))
    def request_money(
        self,
        email: Annotated[EmailAddress, Field(description="E-mail address of the person to ask")],
        amount: Annotated[Amount, Field(description="Money to ask for")],
        reason: Annotated[Note, Field(min_length=1, description="Why the money is asked for")],
    ) -> RequestDetails:
        """Ask a person for money; only one request to a person can be open."""
        if email == self.state.owner_email:
            raise ToolError(f"{email} is your own address; ask somebody else.")
        if self._requested(email):
            raise ToolError(f"{email} has not answered your last request; wait for that.")
        request = MoneyRequest(email=email, amount=amount, reason=reason, status="open")
        self.state.requests[self.clock.next_id("RQ")] = request
        return RequestDetails(open_total=self._requested(None), **request.model_dump())

    @tool(effect="write", phrasings=("make the card of {account_id} {status}",))
    def set_card_status(
        self,
        account_id: Annotated[AccountId, Field(description="Id of the account with the card")],
        status: Annotated[CardStatus, Field(description="Frozen blocks the card until unfrozen")],
    ) -> AccountList:
        """Freeze or unfreeze the card of an account."""
        account = self._account(account_id)
        if account.card is None:
            raise ToolError(f"{account.name} has no card; choose a checking account.")
        if account.card == status:
            raise ToolError(f"The card of {account.name} is {status} already.")
        account.card = status
        return self._account_list([account_id])

    @tool(effect="write", phrasings=("set my monthly {category} budget to {monthly_limit}",))
    def set_budget(
        self,
        category: Annotated[SpendingCategory, Field(description="Category of spending")],
        monthly_limit: Annotated[Amount, Field(description="Most to spend in a month")],
    ) -> BudgetDetails:
        """Set a monthly budget, not below what this month has already cost."""
        spent = self._spent(category)
        if monthly_limit < spent:
            raise ToolError(f"{category} has cost {spent:.2f} this month; set at least that.")
        self.state.budgets[category] = monthly_limit
        left = _cents(monthly_limit - spent)
        return BudgetDetails(category=category, monthly_limit=monthly_limit, spent=spent, left=left)

    def _account_list(self, account_ids: list[str]) -> AccountList:
        accounts: list[AccountDetails] = []
        for key in account_ids:
            account, left = self.state.accounts[key], self._left_on(key, self.clock.today)
            shown = account.model_dump(exclude={"overdraft", "daily_limit"})
            shown |= {"available": _available(account), "left_today": left}
            accounts.append(AccountDetails(account_id=key, **shown))
        return AccountList(accounts=sorted(accounts, key=lambda account: account.name))

    def _account(self, account_id: str) -> Account:
        if account_id not in self.state.accounts:
            raise ToolError(f"There is no account {account_id!r}; list your accounts first.")
        return self.state.accounts[account_id]

    def _payee(self, payee_id: str) -> Payee:
        if payee_id not in self.state.payees:
            raise ToolError(f"There is no payee {payee_id!r}; list your payees or add one first.")
        return self.state.payees[payee_id]

    def _payee_details(self, payee_id: str) -> PayeeDetails:
        payee = self.state.payees[payee_id]
        requested = self._requested(payee.email)
        return PayeeDetails(payee_id=payee_id, requested=requested, **payee.model_dump())

    def _scheduled_details(self, payment_id: str) -> ScheduledDetails:
        payment = self.state.payments[payment_id]
        title = f"Payment to {self.state.payees[payment.payee_id].name}"
        return ScheduledDetails(payment_id=payment_id, title=title, **payment.model_dump())

    def _requested(self, email: str | None) -> float:
        requests = [r for r in self.state.requests.values() if r.status == "open"]
        return _cents(sum(r.amount for r in requests if email is None or r.email == email))

    def _spent(self, category: str) -> float:
        entries = [t for t in self.state.transactions.values() if t.category == category]
        return _cents(sum(-t.amount for t in entries if t.day[:7] == self.clock.today[:7]))

    def _left_on(self, account_id: str, day: str) -> float:
        entries = [t for t in self.state.transactions.values() if t.account_id == account_id]
        paid = sum(-t.amount for t in entries if t.payee_id and t.day == day)
        payments = [p for p in self.state.payments.values() if p.account_id == account_id]
        planned = sum(p.amount for p in payments if p.status == "pending" and p.due_on == day)
        return _cents(self.state.accounts[account_id].daily_limit - paid - planned)

    def _check_payment(self, account_id: str, amount: float, day: str) -> None:
        account = self._account(account_id)
        if account.kind == "savings":
            raise ToolError(f"{account.name} is for savings; pay from a checking account.")
        if amount > (left := self._left_on(account_id, day)):
            raise ToolError(f"{account.name} has a daily limit; {left:.2f} of it is left on {day}.")

    def _book(
        self,
        account_id: str,
        description: str,
        category: TransactionCategory,
        amount: float,
        payee_id: str | None = None,
    ) -> str:
        account = self.state.accounts[account_id]
        account.balance = _cents(account.balance + amount)
        transaction_id = self.clock.next_id("TX")
        self.state.transactions[transaction_id] = Transaction(
            account_id=account_id,
            description=description,
            category=category,
            amount=amount,
            day=self.clock.today,
            payee_id=payee_id,
        )
        return transaction_id

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> PaymentsState:
        """Draw four accounts, six weeks of transactions, payees, payments, requests, budgets."""
        state = PaymentsState(
            clock=Clock(now=world.now),
            owner_email=world.user.email,
            accounts={},
            payees={},
            transactions={},
            payments={},
            requests={},
            budgets={"groceries": 800.0, "leisure": 500.0},
        )
        for name, balance, overdraft, limit, locked_days in _ACCOUNTS:
            is_savings = locked_days is not None
            state.accounts[state.clock.next_id("AC")] = Account(
                name=name,
                kind="savings" if is_savings else "checking",
                balance=round(balance + rng.randrange(90_000) / 100, 2),
                overdraft=overdraft,
                daily_limit=limit,
                locked_until=add_days(world.today, locked_days) if is_savings else None,
                card=None if is_savings else rng.choice(("active", "frozen")),
            )
        categories = rng.sample(tuple(_SHOPS), 5)
        contacts = [(person.name, person.email) for person in world.people[:3]]
        for name in (organisation.name for organisation in world.organisations[:2]):
            contacts.append((name, f"billing@{name.split()[0].lower()}.example"))
        for (name, email), category in zip(contacts, categories, strict=True):
            payee = Payee(name=name, email=email, category=category)
            state.payees[state.clock.next_id("PY")] = payee
        _add_transactions(state, rng)
        _add_payments(state, rng)
        for person, status in zip(world.people[3:], _REQUESTS, strict=True):
            reason, amount = rng.choice(_REASONS), float(rng.randint(8, 90))
            request = MoneyRequest(email=person.email, amount=amount, reason=reason, status=status)
            state.requests[state.clock.next_id("RQ")] = request
        return state


# Name, lowest balance, overdraft, daily limit, days until money can be taken out of savings.
_ACCOUNTS: tuple[tuple[str, float, float, float, int | None], ...] = (
    ("Travel Fund", 1500.0, 0.0, 0.0, 45),
    ("Household", 1100.0, 0.0, 800.0, None),
    ("Everyday", 1900.0, 500.0, 1500.0, None),
    ("Rainy Day", 4200.0, 0.0, 0.0, 0),
)
_SHOPS: dict[SpendingCategory, tuple[str, ...]] = {
    "bills": ("City Power", "Fibre Internet", "Water Works"),
    "groceries": ("Corner Market", "Green Basket", "Harvest Hall"),
    "housing": ("Home Insurance", "Plumber", "Paint Store"),
    "leisure": ("Cinema", "Climbing Hall", "Record Shop"),
    "transport": ("Bike Repair", "Night Bus", "Railway"),
}
_REQUESTS: tuple[RequestStatus, ...] = ("open", "paid", "open", "paid", "paid")
_REASONS = ("pizza night", "museum tickets", "shared gift", "cleaning supplies")


def _cents(amount: float) -> float:
    return round(amount, 2) or 0.0  # a negative zero becomes zero


def _available(account: Account) -> float:
    return _cents(account.balance + account.overdraft)


def _check_funds(account: Account, amount: float) -> None:
    if amount > (available := _available(account)):
        raise ToolError(f"{account.name} has only {available:.2f} available, not {amount:.2f}.")


def _add_transactions(state: PaymentsState, rng: random.Random) -> None:
    rows: list[tuple[int, str, TransactionCategory, float, str | None]] = [
        (32, "Tax Refund", "income", 310.0, None),
        (2, "Salary", "income", 2750.0, None),
    ]
    for category, shops in _SHOPS.items():
        for shop in shops:
            rows.append((rng.randrange(43), shop, category, -rng.randrange(500, 9000) / 100, None))
    for days, payee_id in ((0, "PY-1"), (1, "PY-2"), (9, "PY-3")):
        payee = state.payees[payee_id]
        rows.append((days, payee.name, payee.category, -float(rng.randrange(20, 120)), payee_id))
    for days, description, category, amount, payee_id in sorted(rows, key=lambda r: (-r[0], r[1])):
        state.transactions[state.clock.next_id("TX")] = Transaction(
            account_id=rng.choice(("AC-2", "AC-3")),
            description=description,
            category=category,
            amount=amount,
            day=add_days(state.clock.today, -days),
            payee_id=payee_id,
        )


def _add_payments(state: PaymentsState, rng: random.Random) -> None:
    for days, payee_id in ((18, "PY-4"), (5, "PY-5"), (1, "PY-1"), (-10, "PY-3")):
        state.payments[state.clock.next_id("SP")] = ScheduledPayment(
            account_id=rng.choice(("AC-2", "AC-3")),
            payee_id=payee_id,
            amount=float(rng.randrange(25, 400)),
            due_on=add_days(state.clock.today, days),
            reference=rng.choice(("", "monthly share", "second instalment")),
            status="pending" if days > 0 else "paid",
        )
