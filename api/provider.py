"""Sign-in at the OpenID Connect provider that the operator has set, by the code flow with PKCE.

Authlib makes the URL of the provider, authenticates the service there and validates ID tokens. Requests go
through the connections of webhooks, which limit the time and the size of each reply.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypedDict
from urllib.parse import SplitResult, urlsplit, urlunsplit

import orjson
from authlib.common.security import is_secure_transport
from authlib.oauth2.client import OAuth2Client
from authlib.oauth2.rfc6749.parameters import prepare_token_request
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, Timeout
from urllib3.exceptions import HTTPError

from arena.accounts.identities import ProviderIdentity
from arena.errors import ArenaError
from arena.ops.settings import ProviderSettings
from arena.text import printable
from arena.webhook_messages.errors import CallFailed
from arena.webhooks.calling import MAX_REPLY, BoundedConnection, SecureConnection, trusted

KEPT_SECONDS: Final = 3600.0
"""How long a process keeps the metadata and the keys of the provider."""

PAUSE_SECONDS: Final = 5.0
"""How long a process waits after a failure before it asks the provider for its metadata again."""

SIGN_IN_SECONDS: Final = 600.0
"""How long a person can take to sign in at the provider."""

_CONNECT_SECONDS: Final = 3.0
_SECONDS: Final = 5.0
_LEEWAY_SECONDS: Final = 60
_LONGEST: Final = 255
_LONGEST_NAME: Final = 80
_SCOPE: Final = "openid profile"
_KEY_TYPES: Final = ("RSA", "EC", "OKP")
_ALGORITHMS: Final = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"),
)
"""Signatures by keys that only the provider has. ``none`` and those with the client's secret are refused."""


_log = logging.getLogger("botequim.api")


class ProviderUnavailable(ArenaError):
    """The provider does not answer, or its answer is not valid."""

    code = "provider_unavailable"


class SignInRefused(ArenaError):
    """The provider did not confirm who signed in."""

    code = "sign_in_refused"


class BegunSignIn(TypedDict):
    """What the browser keeps, in a signed cookie, while its user is at the provider. ``until`` is in Unix
    seconds, and ``back`` the page to which the user returns.
    """

    state: str
    nonce: str
    verifier: str
    until: float
    back: str


class _Found(NamedTuple):
    """The provider's metadata and keys, and when to read them again (by the monotonic clock)."""

    metadata: dict[str, Any]
    keys: KeySet
    until: float


class Provider:
    """The provider of one process."""

    def __init__(self, settings: ProviderSettings, service_url: str) -> None:
        self.name = settings.name
        self._settings = settings
        self._back_to = f"{service_url}/sign-in/provider/callback"
        self._found: _Found | None = None
        self._failed = float("-inf")
        self._lock = threading.Lock()

    def begin(self, back: str = "") -> tuple[str, BegunSignIn]:
        """Return the URL at which a person signs in, and what the browser must keep until it returns.

        Raises :class:`ProviderUnavailable`.
        """
        metadata = self._known().metadata
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        url, _ = self._client(metadata).create_authorization_url(
            metadata["authorization_endpoint"], state, verifier, nonce=nonce, redirect_uri=self._back_to
        )
        return url, BegunSignIn(
            state=state, nonce=nonce, verifier=verifier, until=time.time() + SIGN_IN_SECONDS, back=back
        )

    def finish(self, begun: BegunSignIn, query: Mapping[str, str]) -> ProviderIdentity:
        """Return who has signed in. ``query`` is that of the URL to which the provider sent the browser.

        Raises :class:`SignInRefused` or :class:`ProviderUnavailable`.
        """
        if not secrets.compare_digest(query.get("state", "").encode(), begun["state"].encode()):
            raise _refused("the browser began another sign-in")
        if time.time() > begun["until"]:
            raise _refused("it took too long")
        if "error" in query:
            raise _refused(f"the provider says {printable(query['error'], _LONGEST_NAME)!r}")
        known = self._known()
        issuers = {self._settings.issuer}
        if not known.metadata.get("authorization_response_iss_parameter_supported"):
            issuers.add("")
        if query.get("iss", "") not in issuers:
            raise _refused("the answer is from another provider")
        sent = self._exchange(known.metadata, query.get("code", ""), begun["verifier"])
        claims = self._claims(known, sent, begun["nonce"])
        name = claims.get("preferred_username") or claims.get("name") or ""
        return ProviderIdentity(self._settings.issuer, claims["sub"], printable(str(name), _LONGEST_NAME))

    # The tokens

    def _client(self, metadata: Mapping[str, Any]) -> Any:
        secret, method = self._settings.client_secret, "none"
        if secret:
            offered = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
            method = "client_secret_basic" if "client_secret_basic" in offered else "client_secret_post"
        return OAuth2Client(
            None,
            self._settings.client_id,
            secret,
            token_endpoint_auth_method=method,
            scope=_SCOPE,
            code_challenge_method="S256",
        )

    def _exchange(self, metadata: Mapping[str, Any], code: str, verifier: str) -> dict[str, Any]:
        """Return the reply of the provider to the code with which the browser returned."""
        client, url = self._client(metadata), metadata["token_endpoint"]
        body = prepare_token_request(
            "authorization_code", code=code, redirect_uri=self._back_to, code_verifier=verifier
        )
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        auth = client.client_auth(client.token_endpoint_auth_method)
        url, headers, body = auth.prepare("POST", url, headers, body)
        status, sent = self._request("POST", url, headers, body)
        if status != 200:
            _log.warning("the OpenID Connect provider refuses a code: %s", sent.get("error"))
        if status != 200 or not isinstance(sent.get("id_token"), str):
            raise _refused("the provider does not accept the code")
        return sent

    def _claims(self, known: _Found, sent: Mapping[str, Any], nonce: str) -> Mapping[str, Any]:
        """Return the claims of an ID token whose signature, issuer, audience, times and nonce are right."""
        algorithms = [
            name
            for name in known.metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
            if name in _ALGORITHMS
        ]
        registry = JWSRegistry(algorithms=algorithms, strict_check_header=False)
        options = {
            "iss": {"essential": True, "value": self._settings.issuer},
            "aud": {"essential": True, "value": self._settings.client_id},
        }
        expected = {
            "nonce": nonce,
            "client_id": self._settings.client_id,
            "access_token": sent.get("access_token"),
        }
        try:
            try:
                token = jwt.decode(sent["id_token"], known.keys, registry=registry)
            except InvalidKeyIdError:
                # The provider has new keys.
                token = jwt.decode(sent["id_token"], self._known(again=True).keys, registry=registry)
            claims = CodeIDToken(token.claims, token.header, options, expected)
            claims.validate(leeway=_LEEWAY_SECONDS)
        except (JoseError, ValueError, TypeError, LookupError, AttributeError) as error:
            raise _refused(f"the ID token is not valid: {printable(str(error), 200)}") from None
        if not 0 < len(claims["sub"]) <= _LONGEST:
            raise _refused("the ID token is not valid: sub")
        found: Mapping[str, Any] = claims
        return found

    # The provider

    def _known(self, *, again: bool = False) -> _Found:
        """Return what is known of the provider. Of several requests at a time, one asks the provider."""
        before = self._found
        with self._lock:
            now = time.monotonic()
            found = self._found
            if found is not None and now < found.until and not (again and found is before):
                return found
            if now < self._failed + PAUSE_SECONDS:
                raise _unavailable("the provider did not answer a moment ago")
            try:
                self._found = self._discover()
            except ProviderUnavailable:
                self._failed = time.monotonic()
                raise
            return self._found

    def _discover(self) -> _Found:
        issuer = self._settings.issuer
        metadata = self._read(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if metadata.get("issuer") != issuer:
            raise _unavailable("the metadata of the provider names another issuer")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not isinstance(metadata.get(name), str) or not is_secure_transport(metadata[name]):
                raise _unavailable(f"the metadata of the provider has no valid {name}")
        try:
            keys = [
                key
                for key in self._read(metadata["jwks_uri"])["keys"]
                if key.get("kty") in _KEY_TYPES and key.get("use", "sig") == "sig"
            ]
            found = KeySet.import_key_set({"keys": keys})
        except (JoseError, ValueError, TypeError, LookupError, AttributeError):
            raise _unavailable("the keys of the provider are not valid") from None
        return _Found(metadata, found, time.monotonic() + KEPT_SECONDS)

    def _read(self, url: str) -> dict[str, Any]:
        status, found = self._request("GET", url, {"Accept": "application/json"})
        if status != 200:
            raise _unavailable(f"the provider replies with status {status}")
        return found

    @staticmethod
    def _request(
        method: str, url: str, headers: Mapping[str, str], body: str | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Return the status and the JSON object with which the provider replies. Connecting may take
        ``_CONNECT_SECONDS``, and receiving the reply ``_SECONDS``.
        """
        parts = urlsplit(url)
        try:
            response = _pool(parts).urlopen(
                method,
                urlunsplit(("", "", parts.path or "/", parts.query, "")),
                body,
                {"User-Agent": "botequim", "Connection": "close", "Accept-Encoding": "identity", **headers},
                retries=False,
                redirect=False,
                timeout=Timeout(connect=_CONNECT_SECONDS, read=_SECONDS),
                preload_content=False,
                decode_content=False,
            )
            try:
                data = response.read(MAX_REPLY + 1, decode_content=False)
            finally:
                response.close()
            found = orjson.loads(data)
        except (CallFailed, HTTPError, OSError) as error:
            _log.warning("no answer from the OpenID Connect provider: %s", error)
            raise _unavailable("the provider does not answer") from None
        except ValueError:
            raise _unavailable("the provider does not reply with JSON") from None
        if not isinstance(found, dict):
            raise _unavailable("the provider does not reply with a JSON object")
        return response.status, found


def _pool(parts: SplitResult) -> HTTPConnectionPool:
    """Return a pool for one request, whose connection limits the time and the size of the reply."""
    host = parts.hostname or ""
    if parts.scheme != "https":
        pool = HTTPConnectionPool(host, parts.port)
        pool.ConnectionCls = BoundedConnection
        return pool
    pool = HTTPSConnectionPool(host, parts.port, ssl_context=trusted())
    pool.ConnectionCls = SecureConnection
    return pool


def _refused(why: str) -> SignInRefused:
    return SignInRefused(f"the sign-in failed: {why}", expected="to sign in again")


def _unavailable(why: str) -> ProviderUnavailable:
    return ProviderUnavailable(why, expected="to try again later, or to sign in with the token")
