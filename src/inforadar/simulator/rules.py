"""How the sites behave while nothing is wrong: the habits that differ between days and visitors."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Habits of the sites that a test or a demo may choose.

    hh: `hh_needs_token` refuses anonymous searches after `hh_free_requests`; `hh_token` is the only good
    token (empty = any will do). LinkedIn: which render its job pages come in, whether a closed job has its
    banner, and whether promoted cards stand out of order, one after `linkedin_stray_every` others (0 = none).
    Habr: HTML layout, the old key names of the JSON list, and an advertisement inside the HTML lists.
    Telegram: `telegram_token` is the only good token (empty = any will do), a callback query can be answered for
    `telegram_query_ttl_s` of the world's time, a chat takes one message in `telegram_chat_interval_s` (0 = any number).
    Ollama: the models it has, the only good API key (empty = none asked), whether it thinks aloud, and whether it
    obeys what an item's text tells it.
    Sheets: how many reads, and how many writes, it takes in a minute (0 = any number).
    InfoJobs: `infojobs_client` is the only good `id:secret` (empty = any will do). eBay: the same, how long its tokens
    live, how many requests a day it takes (0 = any number), and whether its keys may see what was sold.
    """

    hh_needs_token: bool = False
    hh_free_requests: int = 1
    hh_token: str = ""
    linkedin_render: Literal["full", "condensed", "alternate"] = "full"
    linkedin_closed_banner: bool = True
    linkedin_stray_every: int = 0
    habr_layout: Literal["L1", "L2", "L3"] = "L3"
    habr_old_keys: bool = False
    habr_ads: bool = False
    telegram_token: str = ""
    telegram_query_ttl_s: float = 900.0
    telegram_chat_interval_s: float = 0.0
    ollama_models: tuple[str, ...] = ("qwen3:8b", "llama3.2:latest", "smollm2:latest")
    ollama_key: str = ""
    ollama_thinks: bool = False
    ollama_obeys: bool = False
    infojobs_client: str = ""
    ebay_client: str = ""
    ebay_token_ttl_s: float = 7200.0
    ebay_daily_quota: int = 0
    ebay_insights: bool = False
    sheets_quota_per_minute: int = 60
