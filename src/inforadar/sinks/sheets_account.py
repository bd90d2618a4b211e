"""A Google service account: who it is, and the signed word by which it asks for a token.

google-auth only signs; every request goes through our own guarded client.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from inforadar.domain.errors import Refused
from inforadar.observe.secrets import Secret

SCOPE = "https://www.googleapis.com/auth/spreadsheets"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
GOOGLE_TOKENS = "https://oauth2.googleapis.com/token"
LIFETIME = timedelta(hours=1)
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._/-]*)?")
NOT_AN_ACCOUNT = (
    "[sheets] credentials are not the JSON of a service account: create a key of type JSON at "
    "console.cloud.google.com, IAM & Admin, Service Accounts, and name its file"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAccount:
    """One service account; `email` is whom the spreadsheet must be shared with."""

    email: str
    token_uri: str
    _key: Mapping[str, str] = field(repr=False)

    def token_request(self, now: datetime) -> bytes:
        """The body that asks for a token; raises Refused if the key cannot sign."""
        claims = {
            "iss": self.email,
            "scope": SCOPE,
            "aud": self.token_uri,
            "iat": int(now.timestamp()),
            "exp": int((now + LIFETIME).timestamp()),
        }
        return urlencode({"grant_type": GRANT, "assertion": self._signed(claims)}).encode("ascii")

    def _signed(self, claims: Mapping[str, Any]) -> str:
        # loaded here, because no other command needs what google-auth brings along
        from google.auth import jwt

        signer = _signer(self._key["private_key"], self._key["private_key_id"])
        return bytes(jwt.encode(signer, claims)).decode("ascii")  # type: ignore[no-untyped-call]


def read_account(credentials: Secret) -> ServiceAccount:
    """The service account of a JSON key file; raises Refused with the remedy."""
    told = _object(credentials.reveal())
    email, key = told.get("client_email"), told.get("private_key")
    if not (isinstance(email, str) and email and isinstance(key, str) and key):
        raise Refused(NOT_AN_ACCOUNT)
    return ServiceAccount(
        email=email,
        token_uri=token_uri(credentials),
        _key={"private_key": key, "private_key_id": str(told.get("private_key_id") or "")},
    )


def token_uri(credentials: Secret) -> str:
    """Where the account asks for tokens; Google's own address where the file names none."""
    named = _object(credentials.reveal()).get("token_uri")
    return named if isinstance(named, str) and _ADDRESS.fullmatch(named) else GOOGLE_TOKENS


@lru_cache(maxsize=4)
def _signer(key: str, key_id: str) -> Any:
    """What signs with an RSA key, which takes long to read; raises Refused for one that is none."""
    from google.auth import crypt

    told = {"private_key": key, "private_key_id": key_id}
    try:
        return crypt.RSASigner.from_service_account_info(told)  # type: ignore[no-untyped-call]
    except ValueError as error:
        raise Refused(f"the private_key in [sheets] credentials cannot be read. {NOT_AN_ACCOUNT}") from error


def _object(text: str) -> Mapping[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
