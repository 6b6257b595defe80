"""Shop: product search, cart with coupons, orders, cancellations and returns."""

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

ProductId = Annotated[str, Identifier("ProductId")]
AddressId = Annotated[str, Identifier("AddressId")]
OrderId = Annotated[str, Identifier("OrderId")]
CouponCode = Annotated[str, Identifier("CouponCode", speakable=True)]
CityName = Annotated[str, Identifier("CityName", speakable=True)]
Category = Literal["books", "electronics", "groceries", "home", "sports"]
DeliverySpeed = Literal["standard", "express"]
OrderStatus = Literal["placed", "shipped", "delivered", "cancelled"]
ReturnReason = Literal["damaged", "incomplete", "unsuitable", "unwanted"]

_MAX_PIECES = 5
_MAX_CART_PRODUCTS = 6
_MAX_WISHES = 5
_SHIPPING = {"standard": 4.9, "express": 9.9}
_FREE_SHIPPING_FROM = 50.0
_RETURN_POSTAGE = 3.9
_DAYS_TO_SHIP = {"standard": 2, "express": 1}
_DAYS_TO_ARRIVE = {"standard": 6, "express": 2}


class Product(Entity):
    """Something for sale; it can be returned until `return_days` after delivery."""

    name: str
    category: Category
    brand: str
    price: float
    rating: float
    stock: int
    return_days: int


class Address(Entity):
    """A saved address; express delivery does not reach every one."""

    name: str
    city: CityName
    takes_express: bool


class Coupon(Entity):
    """A code that takes a percentage off a cart, once."""

    coupon_code: CouponCode
    percent: int
    minimum: float
    valid_until: Day
    is_used: bool


class OrderLine(Entity):
    """Pieces of one product at the price they were ordered for."""

    product_id: ProductId
    quantity: int
    unit_price: float


class Order(Entity):
    """What was ordered; unless cancelled, its status follows from its day and the clock."""

    lines: list[OrderLine]
    address_id: AddressId
    speed: DeliverySpeed
    placed_on: Day
    coupon_id: str | None
    is_cancelled: bool


class ItemReturn(Entity):
    """Pieces of an order that were sent back."""

    order_id: OrderId
    product_id: ProductId
    quantity: int
    reason: ReturnReason
    refund: float


class ShopState(State):
    """The range, the user's addresses, coupons, orders and returns, the cart and the wishlist."""

    products: dict[str, Product]
    addresses: dict[str, Address]
    coupons: dict[str, Coupon]
    orders: dict[str, Order]
    returns: dict[str, ItemReturn]
    cart: dict[str, int]
    cart_coupon_id: str | None
    wishlist: list[str]


class ProductSummary(Result):
    """A product as lists show it."""

    product_id: ProductId = Field(description="Id of the product")
    name: Annotated[str, Label()] = Field(description="Name of the product")
    brand: str = Field(description="Maker of the product")
    price: float = Field(description="Price of one piece")
    rating: float = Field(description="Mean customer rating from 1 to 5")


class ProductList(Result):
    """Products that were searched for or wished."""

    products: list[ProductSummary] = Field(description="Products, cheapest first")


class ProductDetails(ProductSummary):
    """Everything about one product."""

    category: Category = Field(description="Category the product is sold in")
    stock: int = Field(description="Pieces that can be ordered now")
    return_days: int = Field(description="How many days after delivery it can be returned")
    is_wished: bool = Field(description="Whether it is on the user's wishlist")


class Item(Result):
    """Pieces of one product in a cart or order."""

    product_id: ProductId = Field(description="Id of the product")
    name: Annotated[str, Label()] = Field(description="Name of the product")
    quantity: int = Field(description="Number of pieces")
    unit_price: float = Field(description="Price of one piece")


class Bill(Result):
    """Products and what they cost together; for a cart, with standard delivery."""

    items: list[Item] = Field(description="Products, by name")
    subtotal: float = Field(description="Price of all pieces before discount and shipping")
    coupon_code: CouponCode | None = Field(description="Code of the coupon, null without one")
    discount: float = Field(description="Taken off by the coupon, 0 below the coupon's minimum")
    shipping: float = Field(description="Cost of delivery")
    total: float = Field(description="Price to pay")


class AddressSummary(Result):
    """A saved address."""

    address_id: AddressId = Field(description="Id of the address")
    name: Annotated[str, Label()] = Field(description="Name the address is saved under")
    city: CityName = Field(description="City of the address")
    takes_express: bool = Field(description="Whether express delivery reaches the address")


class AddressList(Result):
    """The user's addresses."""

    addresses: list[AddressSummary] = Field(description="Saved addresses, by name")


class OrderSummary(Result):
    """An order as the list shows it."""

    order_id: OrderId = Field(description="Id of the order")
    title: Annotated[str, Label()] = Field(description="What was ordered, in short")
    placed_on: Day = Field(description="Day on which it was ordered")
    status: OrderStatus = Field(description="How far the order has come")
    total: float = Field(description="Price to pay")


class OrderList(Result):
    """The user's orders."""

    orders: list[OrderSummary] = Field(description="Orders, latest first")


class OrderDetails(OrderSummary, Bill):
    """An order in full."""

    address_id: AddressId = Field(description="Id of the address it goes to")
    ships_on: Day = Field(description="Day on which it leaves; it can be cancelled before")
    arrives_on: Day = Field(description="Day of delivery")
    refunded: float = Field(description="Paid back for returned pieces so far")


class ReturnReceipt(Result):
    """What was sent back and what is paid back for it."""

    order_id: OrderId = Field(description="Id of the order it belongs to")
    product_id: ProductId = Field(description="Id of the returned product")
    name: Annotated[str, Label()] = Field(description="Name of the returned product")
    quantity: int = Field(description="Pieces sent back")
    reason: ReturnReason = Field(description="Why they are sent back")
    refund: float = Field(description="Amount paid back, less postage when unwanted")


class Shop(Environment[ShopState]):
    """Find products, fill a cart, order to a saved address, and cancel or return orders."""

    @tool(
        effect="read",
        phrasings=("find {category}[ by {brand}][ under {max_price}][ rated {min_rating} and up]",),
    )
    def search_products(
        self,
        category: Annotated[Category, Field(description="Category to look in")],
        brand: Annotated[str | None, Field(description="Only products of this maker")] = None,
        max_price: Annotated[float | None, Field(ge=5, le=200, description="Highest price")] = None,
        min_rating: Annotated[float | None, Field(ge=1, le=5, description="Lowest rating")] = None,
    ) -> ProductList:
        """Find the products of a category, cheapest first."""
        found = [
            product_id
            for product_id, product in self.state.products.items()
            if product.category == category
            and (brand is None or product.brand == brand)
            and (max_price is None or product.price <= max_price)
            and (min_rating is None or product.rating >= min_rating)
        ]
        return self._product_list(found)

    @tool(effect="read", phrasings=("tell me more about {product_id}", "look up {product_id}"))
    def get_product(
        self, product_id: Annotated[ProductId, Field(description="Id of the product")]
    ) -> ProductDetails:
        """Show one product with its stock and return terms."""
        product = self._product(product_id)
        is_wished = product_id in self.state.wishlist
        return ProductDetails(product_id=product_id, is_wished=is_wished, **product.model_dump())

    @tool(effect="write", phrasings=("put {product_id} on my wishlist",))
    def save_to_wishlist(
        self, product_id: Annotated[ProductId, Field(description="Id of the product")]
    ) -> ProductList:
        """Put a product on the wishlist and show the whole list."""
        product = self._product(product_id)
        if product_id in self.state.wishlist:
            raise ToolError(f"{product.name} is on the wishlist already.")
        if len(self.state.wishlist) >= _MAX_WISHES:
            raise ToolError(f"The wishlist is full; it holds {_MAX_WISHES} products.")
        self.state.wishlist = sorted([*self.state.wishlist, product_id])
        return self._product_list(self.state.wishlist)

    @tool(effect="read", phrasings=("show my shopping cart", "see what is in my cart"))
    def view_cart(self) -> Bill:
        """Show the cart with its coupon and what it costs with standard delivery."""
        return self._cart_bill()

    @tool(effect="write", phrasings=("add[ {quantity} pieces of] {product_id} to my cart",))
    def add_to_cart(
        self,
        product_id: Annotated[ProductId, Field(description="Id of the product")],
        quantity: Annotated[int, Field(ge=1, le=_MAX_PIECES, description="Pieces to add")] = 1,
    ) -> Bill:
        """Add pieces of a product to the cart, within stock and five pieces a product."""
        product = self._product(product_id)
        cart = self.state.cart
        if product_id not in cart and len(cart) >= _MAX_CART_PRODUCTS:
            raise ToolError(f"The cart is full with {len(cart)} products; take one out first.")
        pieces = cart.get(product_id, 0) + quantity
        if pieces > _MAX_PIECES:
            raise ToolError(f"A cart takes {_MAX_PIECES} pieces of one product, not {pieces}.")
        _check_stock(product, pieces)
        cart[product_id] = pieces
        return self._cart_bill()

    @tool(effect="write", phrasings=("set {product_id} in my cart to {quantity} pieces",))
    def change_quantity(
        self,
        product_id: Annotated[ProductId, Field(description="Id of a product in the cart")],
        quantity: Annotated[int, Field(ge=0, le=_MAX_PIECES, description="New number of pieces")],
    ) -> Bill:
        """Set how many pieces of a product are in the cart; 0 pieces take it out."""
        if product_id not in self.state.cart:
            raise ToolError(f"The cart holds no product {product_id!r}; add it first.")
        _check_stock(self.state.products[product_id], quantity)
        self.state.cart[product_id] = quantity
        self.state.cart = {key: pieces for key, pieces in self.state.cart.items() if pieces}
        return self._cart_bill()

    @tool(effect="write", phrasings=("use the coupon {coupon_code} on my cart",))
    def apply_coupon(
        self, coupon_code: Annotated[CouponCode, Field(description="Code printed on the coupon")]
    ) -> Bill:
        """Put a coupon on the cart in place of any other; a coupon works for one order."""
        coupons = self.state.coupons
        coupon_id = next((k for k, c in coupons.items() if c.coupon_code == coupon_code), None)
        if coupon_id is None:
            raise ToolError(f"There is no coupon {coupon_code!r}; check its spelling.")
        coupon = coupons[coupon_id]
        if coupon.is_used or coupon.valid_until < self.clock.today:
            raise ToolError(f"Coupon {coupon_code} is used up or expired; use another one.")
        subtotal = self._cart_bill().subtotal
        if subtotal < coupon.minimum:
            raise ToolError(f"Coupon {coupon_code} needs {coupon.minimum} or more, not {subtotal}.")
        self.state.cart_coupon_id = coupon_id
        return self._cart_bill()

    @tool(effect="read", phrasings=("list my saved addresses[ in {city}]",))
    def list_addresses(
        self,
        city: Annotated[CityName | None, Field(description="Only addresses in this city")] = None,
    ) -> AddressList:
        """List the addresses that orders can go to, by name."""
        addresses = [
            AddressSummary(address_id=address_id, **address.model_dump())
            for address_id, address in self.state.addresses.items()
            if city is None or address.city == city
        ]
        return AddressList(addresses=sorted(addresses, key=lambda address: address.name))

    @tool(effect="write", phrasings=("send my cart to {address_id}[ by {speed} delivery]",))
    def place_order(
        self,
        address_id: Annotated[AddressId, Field(description="Id of the address to deliver to")],
        speed: Annotated[DeliverySpeed, Field(description="How fast it comes")] = "standard",
    ) -> OrderDetails:
        """Order everything in the cart; standard delivery is free from 50.00, express never."""
        address = self.state.addresses.get(address_id)
        if address is None:
            raise ToolError(f"There is no address {address_id!r}; list the saved addresses first.")
        if not self.state.cart:
            raise ToolError("The cart is empty; add a product before ordering.")
        if speed == "express" and not address.takes_express:
            raise ToolError(f"Express does not reach {address.name}; order with standard delivery.")
        order_id = self.clock.next_id("OR")
        self.state.orders[order_id] = Order(
            lines=self._cart_lines(),
            address_id=address_id,
            speed=speed,
            placed_on=self.clock.today,
            coupon_id=self.state.cart_coupon_id if self._cart_bill().discount else None,
            is_cancelled=False,
        )
        self._settle(order_id, is_placed=True)
        self.state.cart, self.state.cart_coupon_id = {}, None
        return self._order_details(order_id)

    @tool(effect="read", phrasings=("list my[ {status}] orders", "show all my[ {status}] orders"))
    def list_orders(
        self,
        status: Annotated[
            OrderStatus | None, Field(description="Only orders in this status")
        ] = None,
    ) -> OrderList:
        """List the user's orders, latest first."""
        orders = [
            OrderSummary(**details.model_dump(include={*OrderSummary.model_fields}))
            for details in map(self._order_details, self.state.orders)
            if status is None or details.status == status
        ]
        orders.sort(key=lambda order: (order.placed_on, int(order.order_id[3:])), reverse=True)
        return OrderList(orders=orders)

    @tool(effect="read", phrasings=("show {order_id} in full", "see what was in {order_id}"))
    def get_order(
        self, order_id: Annotated[OrderId, Field(description="Id of the order")]
    ) -> OrderDetails:
        """Show one order with its products, delivery and refunds."""
        self._order(order_id)
        return self._order_details(order_id)

    @tool(effect="write", phrasings=("cancel {order_id}",))
    def cancel_order(
        self, order_id: Annotated[OrderId, Field(description="Id of the order")]
    ) -> OrderDetails:
        """Cancel an order before it ships; its pieces and its coupon become free again."""
        order = self._order(order_id)
        if (status := self._status(order)) != "placed":
            raise ToolError(f"Order {order_id} is {status}; it can be cancelled while placed only.")
        order.is_cancelled = True
        self._settle(order_id, is_placed=False)
        return self._order_details(order_id)

    @tool(
        effect="write",
        phrasings=("return[ {quantity} of] {product_id} from {order_id} because it is {reason}",),
    )
    def return_item(
        self,
        order_id: Annotated[OrderId, Field(description="Id of the delivered order")],
        product_id: Annotated[ProductId, Field(description="Id of a product of that order")],
        reason: Annotated[ReturnReason, Field(description="Why the pieces go back")],
        quantity: Annotated[int, Field(ge=1, le=_MAX_PIECES, description="Pieces to return")] = 1,
    ) -> ReturnReceipt:
        """Return delivered pieces within the product's window; unwanted ones cost 3.90 postage."""
        line = self._returnable_line(order_id, product_id, quantity)
        order = self.state.orders[order_id]
        product = self.state.products[product_id]
        percent = self.state.coupons[order.coupon_id].percent if order.coupon_id else 0
        paid = line.unit_price * quantity * (100 - percent) / 100
        refund = round(paid - (_RETURN_POSTAGE if reason == "unwanted" else 0), 2)
        record = ItemReturn(
            order_id=order_id,
            product_id=product_id,
            quantity=quantity,
            reason=reason,
            refund=refund,
        )
        if reason in ("unsuitable", "unwanted"):
            product.stock += quantity
        self.state.returns[self.clock.next_id("RT")] = record
        return ReturnReceipt(name=product.name, **record.model_dump())

    def _product(self, product_id: str) -> Product:
        if product_id not in self.state.products:
            raise ToolError(f"There is no product {product_id!r}; search products first.")
        return self.state.products[product_id]

    def _product_list(self, product_ids: list[str]) -> ProductList:
        fields = {*ProductSummary.model_fields}
        products = [
            ProductSummary(product_id=key, **self.state.products[key].model_dump(include=fields))
            for key in product_ids
        ]
        return ProductList(products=sorted(products, key=lambda p: (p.price, p.name)))

    def _order(self, order_id: str) -> Order:
        if order_id not in self.state.orders:
            raise ToolError(f"There is no order {order_id!r}; list your orders first.")
        return self.state.orders[order_id]

    def _status(self, order: Order) -> OrderStatus:
        if order.is_cancelled:
            return "cancelled"
        age = days_between(order.placed_on, self.clock.today)
        if age < _DAYS_TO_SHIP[order.speed]:
            return "placed"
        return "shipped" if age < _DAYS_TO_ARRIVE[order.speed] else "delivered"

    def _cart_lines(self) -> list[OrderLine]:
        return [
            OrderLine(product_id=key, quantity=quantity, unit_price=self.state.products[key].price)
            for key, quantity in sorted(self.state.cart.items())
        ]

    def _cart_bill(self) -> Bill:
        return self._bill(self._cart_lines(), self.state.cart_coupon_id, "standard")

    def _bill(self, lines: list[OrderLine], coupon_id: str | None, speed: DeliverySpeed) -> Bill:
        products = self.state.products
        items = [Item(name=products[line.product_id].name, **line.model_dump()) for line in lines]
        subtotal = round(sum(line.unit_price * line.quantity for line in lines), 2)
        coupon = self.state.coupons[coupon_id] if coupon_id else None
        percent = coupon.percent if coupon and subtotal >= coupon.minimum else 0
        discount = round(subtotal * percent / 100, 2)
        price = round(subtotal - discount, 2)
        is_large = speed == "standard" and price >= _FREE_SHIPPING_FROM
        shipping = 0.0 if is_large or not lines else _SHIPPING[speed]
        return Bill(
            items=sorted(items, key=lambda item: item.name),
            subtotal=subtotal,
            coupon_code=coupon.coupon_code if coupon else None,
            discount=discount,
            shipping=shipping,
            total=round(price + shipping, 2),
        )

    def _settle(self, order_id: str, *, is_placed: bool) -> None:
        order = self.state.orders[order_id]
        for line in order.lines:
            self.state.products[line.product_id].stock += line.quantity * (-1 if is_placed else 1)
        if order.coupon_id:
            self.state.coupons[order.coupon_id].is_used = is_placed

    def _returnable_line(self, order_id: str, product_id: str, quantity: int) -> OrderLine:
        order = self._order(order_id)
        if (status := self._status(order)) != "delivered":
            raise ToolError(f"Order {order_id} is {status}; only delivered orders take returns.")
        line = next((line for line in order.lines if line.product_id == product_id), None)
        if line is None:
            raise ToolError(f"Order {order_id} holds no product {product_id!r}; show the order.")
        product = self.state.products[product_id]
        last_day = add_days(order.placed_on, _DAYS_TO_ARRIVE[order.speed] + product.return_days)
        if self.clock.today > last_day:
            raise ToolError(f"{product.name} of {order_id} could be returned until {last_day}.")
        records = [r for r in self.state.returns.values() if r.order_id == order_id]
        left = line.quantity - sum(r.quantity for r in records if r.product_id == product_id)
        if quantity > left:
            raise ToolError(f"Only {left} of {product.name} can still go back, not {quantity}.")
        return line

    def _order_details(self, order_id: str) -> OrderDetails:
        order = self.state.orders[order_id]
        bill = self._bill(order.lines, order.coupon_id, order.speed)
        more = len(bill.items) - 1
        refunds = [r.refund for r in self.state.returns.values() if r.order_id == order_id]
        return OrderDetails(
            order_id=order_id,
            title=f"Order of {bill.items[0].name}" + (f" and {more} more" if more else ""),
            placed_on=order.placed_on,
            status=self._status(order),
            address_id=order.address_id,
            ships_on=add_days(order.placed_on, _DAYS_TO_SHIP[order.speed]),
            arrives_on=add_days(order.placed_on, _DAYS_TO_ARRIVE[order.speed]),
            refunded=round(sum(refunds), 2),
            **bill.model_dump(),
        )

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> ShopState:
        """Draw four products a category, addresses, coupons, orders of every age, and a cart."""
        state = ShopState(
            clock=Clock(now=world.now),
            products={},
            addresses={},
            coupons={},
            orders={},
            returns={},
            cart={},
            cart_coupon_id=None,
            wishlist=[],
        )
        for category in _RANGE:
            _add_products(state, category, rng)
        cities = (world.people[0].city, world.user.city, world.cities[0].name)
        for name, city in zip(("Summer House", "Home", "Office"), cities, strict=True):
            address = Address(name=name, city=city, takes_express=name != "Summer House")
            state.addresses[state.clock.next_id("AD")] = address
        _add_coupons(state, world.today, rng)
        for number, age in enumerate(_ORDER_AGES):
            _add_order(state, add_days(world.today, -age), number, rng)
        price = state.products["PR-3"].price
        state.returns[state.clock.next_id("RT")] = ItemReturn(
            order_id="OR-2", product_id="PR-3", quantity=1, reason="damaged", refund=price
        )
        stocked = rng.sample([key for key, p in state.products.items() if p.stock >= 5], 4)
        state.cart = {key: rng.randint(1, 3) for key in stocked[:2]}
        state.wishlist = sorted(stocked[2:])
        return state


# Days to return, lowest price, names.
_RANGE: dict[Category, tuple[int, float, tuple[str, ...]]] = {
    "books": (14, 9.5, ("Cloud Guide", "Bread Book", "Quiet Orchard", "Old Maps", "Sea Tales")),
    "groceries": (2, 8.2, ("Granola", "Coffee Beans", "Herbal Tea", "Olive Oil", "Honey Jar")),
    "electronics": (30, 29.0, ("Speaker", "Headphones", "Charger", "Keyboard", "Smart Scale")),
    "home": (30, 22.0, ("Bath Mat", "Iron Pan", "Throw Blanket", "Desk Lamp", "Coat Rack")),
    "sports": (30, 15.5, ("Chalk Bag", "Foam Roller", "Water Bottle", "Yoga Mat", "Tennis Racket")),
}
_COUPON_WORDS = ("BREEZE", "BRIGHT", "HARVEST", "HELLO", "THANKS", "WELCOME")
# Percent off, minimum of the cart, days left; the last one was used.
_COUPONS = ((10, 15.0, 30), (15, 30.0, 0), (20, 300.0, 45), (25, 20.0, -6), (5, 10.0, 9))
# Days since each order, of products of its own; the 4th had a coupon, the 6th was cancelled.
_ORDER_AGES = (75, 20, 8, 6, 2, 1, 1, 0)


def _check_stock(product: Product, pieces: int) -> None:
    if pieces > product.stock:
        raise ToolError(f"{product.name} has {product.stock} pieces in stock, not {pieces}.")


def _add_products(state: ShopState, category: Category, rng: random.Random) -> None:
    return_days, lowest, names = _RANGE[category]
    steps = zip(rng.sample((1, 1.6, 2.2, 2.8), 4), rng.sample((0, 2, 5, 8, 12, 20), 4), strict=True)
    for name, (step, stock) in zip(rng.sample(names, 4), steps, strict=True):
        state.products[state.clock.next_id("PR")] = Product(
            name=name,
            category=category,
            brand=rng.choice(("Alpenglow", "Brightside", "Corvane")),
            price=round(lowest * step + rng.randrange(40) / 10, 1),
            rating=round(rng.uniform(2.8, 4.9), 1),
            stock=stock,
            return_days=return_days,
        )


def _add_coupons(state: ShopState, today: str, rng: random.Random) -> None:
    words = rng.sample(_COUPON_WORDS, len(_COUPONS))
    for word, (percent, minimum, days) in zip(words, _COUPONS, strict=True):
        state.coupons[state.clock.next_id("CP")] = Coupon(
            coupon_code=f"{word}{percent}",
            percent=percent,
            minimum=minimum,
            valid_until=add_days(today, days),
            is_used=word == words[-1],
        )


def _add_order(state: ShopState, placed_on: str, number: int, rng: random.Random) -> None:
    lines = [
        OrderLine(product_id=key, quantity=rng.randint(2, 4), unit_price=state.products[key].price)
        for key in list(state.products)[2 * number : 2 * number + rng.randint(1, 2)]
    ]
    state.orders[state.clock.next_id("OR")] = Order(
        lines=lines,
        address_id=rng.choice(sorted(state.addresses)),
        speed="standard",
        placed_on=placed_on,
        coupon_id=f"CP-{len(_COUPONS)}" if number == 3 else None,
        is_cancelled=number == 5,
    )
