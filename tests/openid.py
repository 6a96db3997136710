"""An OpenID Connect provider for the tests: idpyoidc, with a form to sign in, on a free port of 127.0.0.1.

``change`` replaces what the token endpoint replies, for tests with a provider that does wrong.
"""

from __future__ import annotations

import json
import re
import threading
from base64 import urlsafe_b64decode
from collections.abc import Callable
from html import escape
from types import TracebackType
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, build_opener, urlopen

import pytest
from cryptojwt.jwk.rsa import RSAKey, new_rsa_key
from cryptojwt.jws.jws import JWS
from flask import Flask, Response, make_response, redirect, request
from flask.typing import ResponseReturnValue
from idpyoidc.message.oauth2 import ResponseMessage
from idpyoidc.message.oidc import AccessTokenRequest, AuthorizationRequest
from idpyoidc.server import Server
from idpyoidc.server.configure import OPConfiguration
from idpyoidc.server.exception import UnAuthorizedClient
from idpyoidc.server.user_authn.user import UserAuthnMethod, create_signed_jwt
from werkzeug.serving import make_server

CLIENT = "botequim-tests"
SECRET = "a-secret-that-only-the-service-and-the-provider-know"
PASSWORD = "a password"
PEOPLE = ("maria", "joao")
KEYS = [
    {"type": "RSA", "key": "", "use": ["sig"]},
    {"type": "EC", "crv": "P-256", "use": ["sig"]},
]
LOGIN = "urn:oasis:names:tc:SAML:2.0:ac:classes:InternetProtocolPassword"


class LoginForm(UserAuthnMethod):
    """A form that takes any name with :data:`PASSWORD`."""

    def __call__(self, **kwargs: Any) -> str:
        context = self.upstream_get("context")
        token = create_signed_jwt(context.issuer, self.upstream_get("attribute", "keyjar"), **kwargs)
        return (
            '<!doctype html><html lang="en"><title>Provider</title><form method="post" action="/login">'
            f'<input type="hidden" name="token" value="{escape(token)}"><input name="username">'
            '<input name="password" type="password"><button>Log in</button></form></html>'
        )


class Provider:
    """The provider at ``issuer``, to which one client is registered."""

    def __init__(self) -> None:
        self.change: Callable[[dict[str, Any]], object] = lambda reply: None
        self.requests: list[str] = []
        self._keys: list[RSAKey] = []
        app = Flask("provider")
        self._server = make_server("127.0.0.1", 0, app, threaded=True)
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self.op = Server(OPConfiguration(self._configuration()), cwd="/")
        app.before_request(lambda: self.requests.append(request.path))
        app.get("/.well-known/openid-configuration")(lambda: self._serve("provider_config"))
        app.get("/authorization", endpoint="authorization")(lambda: self._serve("authorization"))
        app.post("/token", endpoint="token")(lambda: self._serve("token"))
        app.get("/jwks", endpoint="jwks")(self._jwks)
        app.post("/login", endpoint="login")(self._login)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def _configuration(self) -> dict[str, Any]:
        package = "idpyoidc.server"
        return {
            "issuer": self.issuer,
            "key_conf": {"key_defs": KEYS, "uri_path": "jwks"},
            "httpc_params": {"verify": False},
            "preference": {"subject_types_supported": ["public"]},
            "token_handler_args": {
                "key_conf": {"key_defs": KEYS},
                "code": {"lifetime": 600, "kwargs": {"crypt_conf": _crypt()}},
                "token": {"class": f"{package}.token.jwt_token.JWTToken", "kwargs": {"lifetime": 3600}},
                "id_token": {
                    "class": f"{package}.token.id_token.IDToken",
                    "kwargs": {"add_claims_by_scope": True},
                },
            },
            "endpoint": {
                "provider_config": {
                    "path": ".well-known/openid-configuration",
                    "class": f"{package}.oidc.provider_config.ProviderConfiguration",
                    "kwargs": {"client_authn_method": None},
                },
                "authorization": {
                    "path": "authorization",
                    "class": f"{package}.oidc.authorization.Authorization",
                    "kwargs": {"client_authn_method": None, "response_types_supported": ["code"]},
                },
                "token": {
                    "path": "token",
                    "class": f"{package}.oidc.token.Token",
                    "kwargs": {"client_authn_method": ["client_secret_post", "client_secret_basic"]},
                },
            },
            "add_on": {
                "pkce": {
                    "function": f"{package}.oauth2.add_on.pkce.add_support",
                    "kwargs": {"essential": True, "code_challenge_methods": {"S256": None}},
                }
            },
            "authentication": {"user": {"acr": LOGIN, "class": LoginForm, "kwargs": {}}},
            "userinfo": {
                "class": f"{package}.user_info.UserInfo",
                "kwargs": {"db": {name: {"preferred_username": f"{name}@school"} for name in PEOPLE}},
            },
            "session_params": {
                "encrypter": _crypt(),
                "sub_func": {
                    "public": {"class": f"{package}.session.manager.PublicID", "kwargs": {"salt": "tests"}}
                },
            },
        }

    def register(self, redirect_uri: str) -> None:
        """Register the client, which gets its users back at ``redirect_uri``."""
        self.op.context.cdb[CLIENT] = {
            "client_id": CLIENT,
            "client_secret": SECRET,
            "redirect_uris": [(redirect_uri, {})],
            "client_salt": "tests",
            "token_endpoint_auth_method": "client_secret_basic",
            "response_types_supported": ["code"],
            "allowed_scopes": ["openid", "profile"],
        }
        self.op.keyjar.add_symmetric(CLIENT, SECRET)

    def __enter__(self) -> Provider:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def settings(self, public_url: str) -> dict[str, str]:
        """The settings of a service that uses the provider."""
        return {
            "BOTEQUIM_PUBLIC_URL": public_url,
            "BOTEQUIM_OIDC_ISSUER": self.issuer,
            "BOTEQUIM_OIDC_CLIENT_ID": CLIENT,
            "BOTEQUIM_OIDC_CLIENT_SECRET": SECRET,
            "BOTEQUIM_OIDC_NAME": "School",
        }

    def resign(self, reply: dict[str, Any], alg: str = "RS256", **changed: Any) -> None:
        """Replace claims of the ID token in a reply of the token endpoint (None leaves one out), and sign
        it with the newest key.
        """
        payload = reply["id_token"].split(".")[1]
        claims = {**json.loads(urlsafe_b64decode(payload + "==")), **changed}
        shown = {name: value for name, value in claims.items() if value is not None}
        if alg == "none":
            keys: list[Any] = []
        elif alg == "HS256":
            keys = self.op.keyjar.get_signing_key("oct", CLIENT)
        else:
            keys = self._keys[-1:] or self.op.keyjar.get_signing_key("RSA")
        reply["id_token"] = JWS(json.dumps(shown), alg=alg).sign_compact(keys)

    def rotate(self) -> None:
        """Make a new key, with which :meth:`resign` signs."""
        self._keys.append(new_rsa_key(kid=f"new-{len(self._keys)}", use="sig", alg="RS256"))

    def _jwks(self) -> dict[str, Any]:
        found: dict[str, Any] = self.op.keyjar.export_jwks()
        # A key of a kind that is new to the service.
        unknown = {"kty": "AKP", "kid": "unknown", "use": "sig", "alg": "ML-DSA-65", "pub": "AAAA"}
        return {"keys": [unknown, *found["keys"], *(key.serialize() for key in self._keys)]}

    def _serve(self, name: str) -> ResponseReturnValue:
        endpoint = self.op.get_endpoint(name)
        info = {"headers": {key.lower(): value for key, value in request.headers.items()}, "url": request.url}
        given = request.args if request.method == "GET" else request.form
        try:
            parsed = endpoint.parse_request(given.to_dict(), http_info=info)
        except UnAuthorizedClient:
            return {"error": "invalid_client"}, 401
        if isinstance(parsed, ResponseMessage) and "error" in parsed:
            return parsed.to_dict(), 400
        if name == "token":
            parsed = AccessTokenRequest(**parsed)
        found = endpoint.process_request(parsed, http_info=info)
        if "http_response" in found:
            return found["http_response"]
        answer = self._answer(endpoint, parsed, found)
        if name == "token" and isinstance(answer, Response):
            reply = answer.get_json()
            self.change(reply)
            answer.set_data(json.dumps(reply))
        return answer

    def _answer(self, endpoint: Any, parsed: Any, found: Any) -> ResponseReturnValue:
        if isinstance(found, ResponseMessage) and "error" in found:
            return found.to_dict(), 400
        info = endpoint.do_response(request=parsed, **found)
        response: Any = (
            make_response(info["response"])
            if info.get("response_placement", endpoint.response_placement) == "body"
            else redirect(info["response"])
        )
        for header, value in info["http_headers"]:
            response.headers[header] = value
        assert isinstance(response, Response) or response.status_code == 302
        return response

    def _login(self) -> ResponseReturnValue:
        if request.form["password"] != PASSWORD:
            return "wrong password", 403
        method = self.op.context.authn_broker.db["user"]["method"]
        token = method.unpack_token(request.form["token"])
        asked = AuthorizationRequest().from_urlencoded(token["query"])
        endpoint = self.op.get_endpoint("authorization")
        session = endpoint.create_session(
            asked, request.form["username"], token["authn_class_ref"], token["iat"], method
        )
        return self._answer(endpoint, asked, endpoint.authz_part2(request=asked, session_id=session))


def _crypt() -> dict[str, Any]:
    keys = [{"type": "OCT", "use": ["enc"], "kid": name} for name in ("password", "salt")]
    return {"kwargs": {"keys": {"key_defs": keys}, "iterations": 1}}


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def log_in(url: str, name: str) -> str:
    """Log in at the provider page ``url``, and return the URL to which the provider sends the browser."""
    with urlopen(url) as response:
        page = response.read().decode()
    (token,) = re.findall('name="token" value="([^"]+)"', page)
    form = urlencode({"token": token, "username": name, "password": PASSWORD}).encode()
    with pytest.raises(HTTPError) as redirected:
        build_opener(_NoRedirects).open(url.partition("/authorization")[0] + "/login", form)
    assert redirected.value.code == 302
    return str(redirected.value.headers["Location"])
