"""The columns of the tables in the user's spreadsheet, by name; two more of the offers are named by the user."""

KEY = "key"
OFFER_COLUMNS = (
    *(KEY, "title", "company", "place", "money", "published", "first seen", "last seen", "status", "score", "reason"),
    *("link", "source", "watch", "also on"),
)
COMPANY_COLUMNS = (KEY, "company", "offers", "open", "reposts", "first seen", "last seen", "source")
