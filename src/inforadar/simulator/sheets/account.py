"""The service account: its key file, the signed words it asks for tokens with, and the tokens it has."""

import base64
import json
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from inforadar.simulator.wire import Call

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

EMAIL = "info-radar@simulated.iam.gserviceaccount.com"
SCOPE = "https://www.googleapis.com/auth/spreadsheets"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
TOKEN_S = 3599
LONGEST_CLAIM_S = 3600


class BadGrant(Exception):
    """No token is given, and why."""


class Account:
    """One account with a key of its own, made when somebody first asks for it."""

    def __init__(self) -> None:
        self._tokens: dict[str, datetime] = {}

    def key_file(self, token_uri: str) -> dict[str, Any]:
        """What Google gives to whoever creates a key of type JSON."""
        from cryptography.hazmat.primitives import serialization

        pem = self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return {
            "type": "service_account",
            "project_id": "simulated",
            "private_key_id": "c0ffee",
            "private_key": pem.decode(),
            "client_email": EMAIL,
            "client_id": "100000000000000000001",
            "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": token_uri,
            "universe_domain": "googleapis.com",
        }

    def grant(self, call: Call, form: dict[str, str]) -> dict[str, Any]:
        """A token for a signed word; raises BadGrant."""
        if form.get("grant_type") != GRANT:
            raise BadGrant("Invalid grant_type")
        claims = self._claims(form.get("assertion", ""))
        if claims.get("iss") != EMAIL or SCOPE not in str(claims.get("scope")).split():
            raise BadGrant("Invalid issuer or scope")
        if not str(claims.get("aud")).endswith(call.path):
            raise BadGrant("Invalid JWT: Failed audience check.")
        if not 0 < claims["exp"] - claims["iat"] <= LONGEST_CLAIM_S:
            raise BadGrant("Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe.")
        token = f"ya29.{call.numbered('token', 24)}"
        self._tokens[token] = call.now + timedelta(seconds=TOKEN_S)
        return {"access_token": token, "expires_in": TOKEN_S, "token_type": "Bearer"}

    def may_enter(self, call: Call) -> bool:
        """Whether a call carries a token that holds."""
        until = self._tokens.get(call.headers.get("authorization", "").removeprefix("Bearer "))
        return until is not None and call.now < until

    def forget_tokens(self) -> None:
        """Take every token back before its time."""
        self._tokens.clear()

    @cached_property
    def _key(self) -> "RSAPrivateKey":
        from cryptography.hazmat.primitives.asymmetric import rsa

        return rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def _claims(self, assertion: str) -> dict[str, Any]:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import padding

        head, _, signature = assertion.rpartition(".")
        try:
            self._key.public_key().verify(_decoded(signature), head.encode(), padding.PKCS1v15(), hashes.SHA256())
            claims = json.loads(_decoded(head.partition(".")[2]))
        except (InvalidSignature, ValueError) as error:
            raise BadGrant("Invalid JWT Signature.") from error
        return dict(claims)


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
