#!/usr/bin/python3 -I
"""Fetches secrets from OpenBao or Vault into files: once, or again from time to time.

  fetch-secrets           a run; fetch-secrets.service starts it, and retries it
  fetch-secrets refresh   fetches again after a run has ended well; fetch-secrets-refresh.timer starts it
  fetch-secrets status    says whether the files are there, and if not, how the last run ended; fails until they are

What to fetch, and from where, is in /etc/machine-secrets/config.json. The machine's credential is in files that config.json names: a secret
id of an AppRole, by default wrapped, so that it can be used once, or a certificate with its key. With a secret id, a run

  1. unwraps the secret id, and keeps it in /var/lib/machine-secrets, readable by root only,
  2. logs in with it, and keeps the token there,
  3. reads all secrets, and only then writes the files, each at once or not at all,
  4. revokes the token, and removes the token and the secret id.

With a certificate, it logs in with that, keeps no token, and leaves the certificate and its key where they are. A refresh reads all secrets,
writes the files whose content is another one, keeps their owners and modes, and restarts the services that config.json names for them. It
never writes a file that is to be written once, such as a K3s token.

What the server has refused, a run does not try again: OpenBao and Vault lock a role's logins, also those of other machines, after a few that
failed. A new secret id, wrapping token or certificate, another role or another server is tried at once.

After a power cut, the next run continues where the last one was. A file of the secret id that somebody places later replaces what is kept.

No secret gets into an argument, the environment or a message. Messages of the server are not passed on. It needs the standard library
of Python 3.6 only, which every image with cloud-init has.
"""

import base64
import calendar
import fcntl
import grp
import hashlib
import http.client
import ipaddress
import json
import os
import pwd
import re
import ssl
import stat
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

# What a power cut has left of this file could be a program that does nothing, and ends well.
with open(__file__, encoding="utf-8", errors="replace") as own:
    if not own.read().endswith("\n# The end.\n"):
        sys.exit("fetch-secrets: FATAL: %s lacks its end, as after a power cut while cloud-init wrote it; run: cloud-init clean --reboot" % __file__)

CONFIG = "/etc/machine-secrets/config.json"
STATE = "/var/lib/machine-secrets"

# Kept between two runs, in STATE.
SECRET_ID = STATE + "/secret-id"  # Unwrapped.
UNWRAPPING = STATE + "/unwrapping"  # Since when a run asks the server to unwrap, and which wrapping token: its hash.
TOKEN = STATE + "/token"
REFUSED = STATE + "/refused"  # What the server has refused: its hash, when, until when it is not tried again, and what to do.
WRITTEN = STATE + "/written"  # All files are there.
DONE = STATE + "/done"
LAST_RUN = STATE + "/last-run"
LAST_REFRESH = STATE + "/last-refresh"
RESTART = STATE + "/restart"  # Services that have not been restarted since their files were replaced.

# Seconds.
SECRET_ID_TIMEOUT = float(os.environ.get("SECRET_ID_TIMEOUT", "60"))
STORE_TIMEOUT = float(os.environ.get("STORE_TIMEOUT", "300"))
REQUEST_TIMEOUT = 20
# The servers' default is 15 minutes, in which a right secret id is refused, too.
LOCKED = float(os.environ.get("LOCKED_SECONDS", "960"))

MAX_ANSWER = 4 << 20
MAX_CREDENTIAL = 4 << 10
MAX_IDENTITY = 64 << 10
MAX_REFUSALS = 20


class Problem(Exception):
    """Ends the run. The text is for people, and has no secret."""


class Refused(Problem):
    """What the server has refused for good, or for some seconds."""

    def __init__(self, text, seconds=0):
        super().__init__(text)
        self.seconds = seconds


class Away(Exception):
    """The server does not answer, or cannot serve now. The text is for people, and has no secret."""


def log(text):
    print("fetch-secrets: " + text, flush=True)


def moment(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def now():
    return moment(time.time())


# Files.


def sync_folder(folder):
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folders(folder, mode):
    """Makes a folder and those above it. Those that are there stay as they are."""
    if os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    make_folders(above, mode)
    os.mkdir(folder)
    os.chmod(folder, mode)
    sync_folder(above)


def write(path, data, mode=0o600, owner=(0, 0), folders=0o700):
    """Writes a file at once or not at all, also when the power is cut. Nobody but root can read it before it has its owner and mode."""
    folder = os.path.dirname(path)
    make_folders(folder, folders)
    part = os.path.join(folder, ".fetch-secrets." + os.path.basename(path))
    try:
        os.unlink(part)
    except FileNotFoundError:
        pass
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if os.geteuid() == 0:
                os.fchown(file.fileno(), owner[0], owner[1])
            os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        os.rename(part, path)
    except BaseException:
        try:
            os.unlink(part)
        except FileNotFoundError:
            pass
        raise
    sync_folder(folder)


def discard(path):
    """Removes a file that somebody else has placed, also where it is a link. One that cannot be removed, as in an image that is read only, stays."""
    for place in (os.path.realpath(path), path):
        try:
            remove(place)
        except OSError as err:
            log("cannot remove %s: %s" % (place, err.strerror))


def remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    sync_folder(os.path.dirname(path))


def credential(path):
    """Reads a token or a secret id: one word. Empty if there is none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return ""
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Problem("%s is not a file" % path)
        text = file.read(MAX_CREDENTIAL + 1).decode("ascii", "replace").strip()
    if "<" in text and ">" in text:
        raise Problem("%s has a placeholder instead of a secret id" % path)
    # A header with another character would be quoted in an error.
    if text and (len(text) > MAX_CREDENTIAL or not re.match(r"^[!-~]+$", text)):
        raise Problem("%s must have one word, and nothing else" % path)
    return text


# The certificate of the machine.


def parts(data):
    """Returns the parts of a sequence in DER: tag and content of each."""
    found, at = [], 0
    while at < len(data):
        tag, size, at = data[at], data[at + 1], at + 2
        if size & 0x80:
            octets = size & 0x7F
            size, at = int.from_bytes(data[at:at + octets], "big"), at + octets
        found.append((tag, data[at:at + size]))
        at += size
    return found


def validity(text):
    """Returns since when and until when the first certificate of a PEM is valid. The standard library has nothing for it."""
    block = re.search(r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----", text)
    certificate = parts(parts(base64.b64decode(block.group(1)))[0][1])[0][1]
    fields = [content for tag, content in parts(certificate) if tag != 0xA0]  # Without the version, which may be missing.
    years = {0x17: "%y%m%d%H%M%SZ", 0x18: "%Y%m%d%H%M%SZ"}
    return [calendar.timegm(time.strptime(content.decode(), years[tag])) for tag, content in parts(fields[3])]


class Identity:
    """The certificate and the key with which the machine logs in."""

    def __init__(self, login):
        self.certificate, self.key, start = login["certificateFile"], login["keyFile"], time.monotonic()
        missing = self.missing()
        while missing:
            if time.monotonic() - start >= SECRET_ID_TIMEOUT:
                raise Problem(
                    "there is no %s: a snippet of bootstrap.snippets.vendorData writes it with bootcmd, or the image has it" % missing
                )
            if start + 1 > time.monotonic():
                log("waits for %s (at most %ds)" % (missing, SECRET_ID_TIMEOUT))
            time.sleep(min(2, SECRET_ID_TIMEOUT / 5 + 0.05))
            missing = self.missing()
        certificate, key = self.read(self.certificate, 0o022), self.read(self.key, 0o027)
        self.hash = hash_of(certificate + key)
        try:
            since, until = validity(certificate)
        except (AttributeError, ValueError, IndexError, KeyError):
            raise Problem("%s has no certificate that can be read: it must be PEM, -----BEGIN CERTIFICATE-----" % self.certificate)
        if "ENCRYPTED" in key:
            raise Problem("the key in %s has a passphrase, which nobody types here: write it without one" % self.key)
        if time.time() < since:
            raise Problem("the certificate in %s is not valid before %s, and it is %s here: is the clock right?" % (self.certificate, moment(since), now()))
        if time.time() > until:
            raise Problem("the certificate in %s has expired at %s; write another one with its key, which the next run takes" % (self.certificate, moment(until)))

    def missing(self):
        return " and no ".join(path for path in (self.certificate, self.key) if not os.path.exists(path))

    def read(self, path, forbidden):
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                raise Problem("%s is not a file" % path)
            if found.st_mode & forbidden:
                raise Problem("%s has mode %04o, so that others have access to it; run: chmod 0600 %s" % (path, stat.S_IMODE(found.st_mode), path))
            return os.read(handle, MAX_IDENTITY).decode("ascii", "replace")
        finally:
            os.close(handle)

    def load(self, context):
        try:
            context.load_cert_chain(self.certificate, self.key, password=lambda: "")  # Python would ask for one.
        except (ssl.SSLError, OSError, ValueError) as err:
            if getattr(err, "reason", "") in ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH"):
                raise Problem("the key in %s is not that of the certificate in %s; write both of one request" % (self.key, self.certificate))
            raise Problem("the certificate in %s or its key in %s cannot be read as PEM" % (self.certificate, self.key))


# The server.


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def proxy_for(host, variables):
    """Returns the proxy as curl chooses it; None for none. Python does not know networks in NO_PROXY."""
    proxy = variables.get("https") or variables.get("all")
    if not proxy or urllib.request.proxy_bypass_environment(host, variables):
        return None
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return proxy
    for item in variables.get("no", "").split(","):
        try:
            if address in ipaddress.ip_network(item.strip(), strict=False):
                return None
        except ValueError:
            pass
    return proxy


class Server:
    def __init__(self, config, identity=None):
        self.address = config["address"].rstrip("/")
        self.identity = identity
        self.namespace = config.get("namespace", "")
        self.shown = ""
        try:
            context = ssl.create_default_context(cadata=config.get("caCertificate") or None)
        except (ssl.SSLError, ValueError):
            raise Problem("caCertificate in %s has no certificate that can be read" % CONFIG)
        if hasattr(context, "minimum_version"):
            context.minimum_version = ssl.TLSVersion.TLSv1_2
        else:  # Python 3.6, such as Rocky Linux 8 has.
            context.options |= ssl.OP_NO_TLSv1 | ssl.OP_NO_TLSv1_1
        if identity:
            identity.load(context)
        url = urllib.parse.urlsplit(self.address)
        proxy = proxy_for(url.hostname, urllib.request.getproxies_environment())
        self.opener = urllib.request.build_opener(
            NoRedirect(), urllib.request.HTTPSHandler(context=context), ProxyAlways({"https": proxy} if proxy else {})
        )

    def once(self, method, path, token="", body=None):
        """Sends a request. Returns the HTTP status, and the answer as a dictionary."""
        request = urllib.request.Request(
            self.address + "/v1/" + urllib.parse.quote(path), method=method, data=None if body is None else json.dumps(body).encode()
        )
        request.add_header("X-Vault-Request", "true")
        request.add_header("Content-Type", "application/json")
        if self.namespace:
            request.add_header("X-Vault-Namespace", self.namespace)
        if token:
            request.add_unredirected_header("X-Vault-Token", token)
        try:
            with self.opener.open(request, timeout=REQUEST_TIMEOUT) as answer:
                status, data = answer.status, answer.read(MAX_ANSWER + 1)
        except urllib.error.HTTPError as err:
            with err:
                status, data = err.code, b""
        except urllib.error.URLError as err:
            raise self.failed(err.reason)
        except (OSError, ssl.CertificateError, http.client.HTTPException) as err:
            raise self.failed(err)
        if 300 <= status < 400:
            raise Problem("%s redirects: set bootstrap.secretStore.address to the active server, or to what is before all servers" % self.address)
        if status == 501:
            raise Away("the server is not initialised")
        if status == 503:
            raise Away("the server is sealed, or down for maintenance (503)")
        if status == 429 or status >= 500 or status in (472, 473):
            raise Away("the server answers with status %d" % status)
        if status == 204 or not 200 <= status < 300:
            return status, {}
        try:
            value = json.loads(data.decode()) if len(data) <= MAX_ANSWER else None
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise Problem("%s does not answer as OpenBao or Vault does: is another program there?" % self.address)
        return status, value

    def failed(self, err):
        """Returns what a request without an answer ends with."""
        alert = getattr(err, "reason", None) if isinstance(err, ssl.SSLError) else None
        # What a server says that demands a certificate of an authority, before it looks at a request.
        if self.identity and alert and re.search("ALERT_((BAD_|UNSUPPORTED_)?CERT|UNKNOWN_CA|ACCESS_DENIED)", alert):
            return Refused(
                "%s accepts no connection with the certificate in %s (%s): its listener does not trust the authority. Correct "
                "tls_client_ca_file there, or write another certificate with its key, which the next run takes"
                % (self.address, self.identity.certificate, alert.split("ALERT_")[1].lower().replace("_", " "))
            )
        # The client may write to a connection that has ended before it reads why; it asks again, and reads it then.
        if self.identity and isinstance(err, (ssl.SSLEOFError, ConnectionResetError, BrokenPipeError)):
            return Away("the server ended the connection; does its listener trust the authority of %s?" % self.identity.certificate)
        return Away(reason(err))

    def ask(self, *args, **kwargs):
        """Sends a request that does no harm when it is sent again, until the server answers or the time is over."""
        start, pause = time.monotonic(), 1.0
        while True:
            try:
                return self.once(*args, **kwargs)
            except Away as err:
                if time.monotonic() - start >= STORE_TIMEOUT:
                    raise Problem("no answer from %s: %s" % (self.address, err))
                if str(err) != self.shown:
                    log("no answer from %s yet: %s" % (self.address, err))
                self.shown = str(err)
            time.sleep(min(pause, max(STORE_TIMEOUT / 10, 0.05)))
            pause = min(pause * 1.5, 15.0)


class ProxyAlways(urllib.request.ProxyHandler):
    """Does not look into NO_PROXY again."""

    def proxy_open(self, req, proxy, type):  # pylint: disable=redefined-builtin
        url = urllib.parse.urlsplit(proxy if "://" in proxy else "http://" + proxy)
        # A proxy's password is in the environment, and gets into no message.
        if url.username:
            user = urllib.parse.unquote(url.username) + ":" + urllib.parse.unquote(url.password or "")
            req.add_header("Proxy-authorization", "Basic " + base64.b64encode(user.encode()).decode())
        req.set_proxy(url.netloc.rpartition("@")[2], type)


def reason(err):
    """Says why there is no answer. The kinds of errors that come here have no part of a request in their texts."""
    if isinstance(err, ssl.SSLError):
        text = getattr(err, "verify_message", "") or err.reason or "TLS failed"
        return "the certificate or TLS is refused: " + str(text)
    if isinstance(err, OSError):
        return err.strerror or type(err).__name__
    return type(err).__name__


# What was refused.


def refusals():
    """Returns what was refused, by its hash. A file that cannot be read says nothing."""
    try:
        with open(REFUSED, "rb") as file:
            found = json.loads(file.read().decode())
        return {key: r for key, r in found.items() if isinstance(r["at"], str) and isinstance(r["until"], (int, float)) and isinstance(r["text"], str)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def save_refusals(found):
    newest = sorted(found, key=lambda key: found[key]["at"])[-MAX_REFUSALS:]
    try:
        write(REFUSED, (json.dumps({key: found[key] for key in newest}, sort_keys=True) + "\n").encode())
    except OSError as err:
        raise Problem("cannot write %s: %s. The server is not asked, since a run could not remember that it was refused" % (REFUSED, err.strerror))


def ask_once(config, what, secret, request):
    """Does what the server can refuse, unless it has refused the very same: the server, the role and the credential."""
    role = config["tls"].get("role", "") if config.get("tls") else config.get("roleID", "")
    key = hash_of(json.dumps([what] + [config.get(name, "") for name in ("address", "namespace", "mount")] + [role, secret]))
    found = refusals()
    before = found.get(key)
    if before and before["until"] == 0:
        raise Problem(
            "%s (refused at %s, and not tried again; to try the same once more, remove %s)" % (before["text"], before["at"], REFUSED)
        )
    # The clock may have been set back since.
    if before and 0 < before["until"] - time.time() <= LOCKED:
        raise Problem("%s (refused at %s; tried again after %s)" % (before["text"], before["at"], moment(before["until"])))
    save_refusals(found)
    try:
        return request()
    except Refused as err:
        found[key] = {"at": now(), "until": time.time() + err.seconds if err.seconds else 0, "text": str(err)}
        save_refusals(found)
        raise


# The steps.


def read_config():
    """Reads what to fetch. cloud-init does not flush what it writes, so that a power cut may have left anything."""
    try:
        with open(CONFIG, "rb") as file:
            config = json.loads(file.read().decode())
    except (OSError, ValueError):
        raise Problem("%s is missing or damaged, as after a power cut while cloud-init wrote it; run: cloud-init clean --reboot" % CONFIG)
    return config


def place(config):
    return "place a new one in %s (mode 0600); the next run takes it" % config["secretIDFile"]


def wait_for_credential(config):
    path, start = config["secretIDFile"], time.monotonic()
    while not credential(path):
        if time.monotonic() - start >= SECRET_ID_TIMEOUT:
            raise Problem(
                "there is no secret id in %s: a snippet of bootstrap.snippets.vendorData writes it with bootcmd, or the image has it" % path
            )
        if start + 1 > time.monotonic():
            log("waits for the secret id in %s (at most %ds)" % (path, SECRET_ID_TIMEOUT))
        time.sleep(min(2, SECRET_ID_TIMEOUT / 5 + 0.05))


def take_secret_id(server, config):
    """Brings the secret id into STATE. A file that was placed replaces what is there."""
    path = config["secretIDFile"]
    if not credential(path):
        if credential(SECRET_ID) or credential(TOKEN):
            return
        wait_for_credential(config)
    given = credential(path)
    if config.get("wrapped", True):
        # A power cut may have left the token beside what was unwrapped of it.
        if not (was_unwrapping(given) and (credential(SECRET_ID) or credential(TOKEN))):
            secret_id = ask_once(config, "unwrap", given, lambda: unwrap(server, config, given))
            write(SECRET_ID, (secret_id + "\n").encode())
    elif credential(SECRET_ID) != given:
        remove(TOKEN)
        write(SECRET_ID, (given + "\n").encode())
    discard(path)


def hash_of(wrapped):
    return hashlib.sha256(wrapped.encode()).hexdigest()


def was_unwrapping(wrapped):
    """Returns since when a run asks the server to unwrap this very token; empty if none did."""
    since, _, token = credential(UNWRAPPING).partition("=")
    return since if token == hash_of(wrapped) else ""


def unwrap(server, config, wrapped):
    """Unwraps a secret id. The server does it once: who finds that it was done looks for the one who did it."""
    path = config["secretIDFile"]
    status, answer = server.ask("POST", "sys/wrapping/lookup", body={"token": wrapped})
    if status in (400, 403):
        raise Refused(not_valid(config, wrapped))
    if status != 200:
        raise Problem(
            "%s cannot say whether the wrapping token is valid (status %d): is bootstrap.secretStore.address, or namespace, another one?"
            % (server.address, status)
        )
    # Somebody who unwraps a secret id can wrap another one in its place. The path at which it was wrapped cannot be forged.
    created = str((answer.get("data") or {}).get("creation_path", ""))
    if not re.match(r"^(.*/)?auth/%s/role/[^/]+/secret-id/?$" % re.escape(config["mount"]), created):
        raise Refused(
            "ALARM: what is wrapped in %s was not made as a secret id of auth/%s: somebody may have unwrapped the secret id, and wrapped "
            "something else in its place. Look into the server's audit log, and %s" % (path, config["mount"], place(config))
        )
    # What an earlier secret id was good for ends here.
    remove(TOKEN)
    remove(SECRET_ID)
    write(UNWRAPPING, ("%s=%s\n" % (now(), hash_of(wrapped))).encode())
    try:
        status, answer = server.once("POST", "sys/wrapping/unwrap", token=wrapped)
    except Away as err:
        raise Problem("no answer from %s while it unwraps the secret id: %s" % (server.address, err))
    if status != 200:
        raise Refused(not_valid(config, wrapped))
    secret_id = (answer.get("data") or {}).get("secret_id")
    if not isinstance(secret_id, str) or not re.match(r"^[!-~]+$", secret_id):
        raise Refused("what was wrapped in %s is not a secret id; %s" % (path, place(config)))
    log("has unwrapped the secret id")
    return secret_id


def not_valid(config, wrapped):
    path = config["secretIDFile"]
    since = was_unwrapping(wrapped)
    if since:
        return (
            "the wrapping token in %s is not valid or does not exist. A run of this machine at %s asked the server to unwrap it, and was "
            "interrupted: if the server's audit log has no other sys/wrapping/unwrap, nobody else has the secret id. Revoke it, and %s"
            % (path, since, place(config))
        )
    return (
        "ALARM: the wrapping token in %s is not valid or does not exist: it has expired, or SOMEBODY ELSE HAS UNWRAPPED IT and has this "
        "machine's secret id. Look for sys/wrapping/unwrap in the server's audit log. If it was none of you, revoke the secret ids of the "
        "role; then %s" % (path, place(config))
    )


def login(server, config):
    """Returns a token that is valid now."""
    token = credential(TOKEN)
    if token:
        status, _ = server.ask("GET", "auth/token/lookup-self", token=token)
        if status == 200:
            return token
        log("the token of an earlier run is not valid any more; logs in again")
        remove(TOKEN)
    body = {"role_id": config["roleID"], "secret_id": credential(SECRET_ID)}
    if not body["secret_id"]:
        raise Problem("the token of an earlier run is not valid any more, and there is no secret id; %s" % place(config))
    token = ask_once(config, "login", body["secret_id"], lambda: log_in(server, config, body))
    write(TOKEN, (token + "\n").encode())
    log("has logged in")
    return token


def log_in(server, config, body):
    status, answer = server.ask("POST", "auth/%s/login" % config["mount"], body=body)
    token = (answer.get("auth") or {}).get("client_token")
    if isinstance(token, str) and re.match(r"^[!-~]+$", token):
        return token
    if status in (200, 400):
        raise Refused(
            "%s refuses the login at auth/%s (status %d): roleID is wrong, or the secret id has expired, belongs to another role, was used "
            "before (also by a run that was interrupted), or is not for this machine's address. Correct the role, or %s"
            % (server.address, config["mount"], status, place(config))
        )
    # A role that is locked, or an auth method that is not there: that a right secret id is good for nothing today says nothing of tomorrow.
    raise Refused(
        "%s allows no login at auth/%s (status %d): the role is locked after logins that failed, of other machines too, or there is no such auth "
        "method. Look into the server's audit log" % (server.address, config["mount"], status),
        LOCKED,
    )


def log_in_with_certificate(server, config):
    """Returns a token, which is kept nowhere: the next run gets one of its own."""
    role = config["tls"].get("role", "")

    def request():
        status, answer = server.ask("POST", "auth/%s/login" % config["mount"], body={"name": role} if role else {})
        token = (answer.get("auth") or {}).get("client_token")
        if isinstance(token, str) and re.match(r"^[!-~]+$", token):
            return token
        if status in (200, 400):
            raise Refused(
                "%s refuses the certificate in %s at auth/%s (status %d): %s does not trust its authority or does not allow its names, or a proxy "
                "before the server ends TLS. Correct the role, or write another certificate with its key, which the next run takes"
                % (server.address, server.identity.certificate, config["mount"], status, "the role " + role if role else "each role")
            )
        raise Refused(
            "%s allows no login at auth/%s (status %d): there is no such auth method, or the role is not for this machine's address. Look into the "
            "server's audit log" % (server.address, config["mount"], status),
            LOCKED,
        )

    token = ask_once(config, "login", server.identity.hash, request)
    log("has logged in with its certificate")
    return token


def has_versions(server, token, file):
    """Says whether the secrets engine is of version 2, which has data/ in its paths. Who cannot be told is of version 2."""
    status, answer = server.ask("GET", "sys/internal/ui/mounts/%s/%s" % (file["mount"], file["secret"]), token=token)
    options = (answer.get("data") or {}).get("options") or {}
    return status != 200 or str(options.get("version", "1")) == "2"


def fetch(server, token, file):
    """Returns the content of a file."""
    versions = has_versions(server, token, file)
    path = "%s/%s%s" % (file["mount"], "data/" if versions else "", file["secret"])
    status, answer = server.ask("GET", path, token=token)
    if status == 403:
        raise Problem("%s: the role's policy does not allow to read %s" % (file["path"], path))
    if status == 404:
        raise Problem("%s: there is no secret %s" % (file["path"], path))
    if status != 200:
        raise Problem("%s: cannot read %s (status %d)" % (file["path"], path, status))
    data = answer.get("data") or {}
    if versions:
        data = data.get("data") or {}
    value = data.get(file["field"])
    if not isinstance(value, str) or value == "":
        raise Problem("%s: %s has no field %s, or it is not text, or empty" % (file["path"], path, file["field"]))
    return value.encode()


def owner(file):
    user, _, group = file["owner"].partition(":")
    try:
        return pwd.getpwnam(user).pw_uid, grp.getgrnam(group or user).gr_gid
    except KeyError:
        raise Problem("%s: there is no user or group %s yet" % (file["path"], file["owner"]))


def fetch_all(server, token, files):
    """Returns files with content and owner, or reports all that is wrong."""
    found, problems = [], []
    for file in files:
        try:
            found.append((file, fetch(server, token, file), owner(file)))
        except Problem as err:
            problems.append(str(err))
    if problems:
        raise Problem("; ".join(problems))
    return found


def write_all(found):
    for file, content, whose in found:
        try:
            write(file["path"], content, int(file["mode"], 8), whose, 0o755)
        except OSError as err:
            raise Problem("cannot write %s: %s" % (file["path"], err.strerror))
        log("has written " + file["path"])


def replaced(found):
    """Returns the files whose content is another one, with the owner and the mode that they have in the guest."""
    out = []
    for file, content, whose in found:
        try:
            with open(file["path"], "rb") as present:
                state, before = os.fstat(present.fileno()), present.read(MAX_ANSWER + 1)
        except FileNotFoundError:
            out.append((file, content, whose))
            continue
        except OSError as err:
            raise Problem("cannot read %s: %s" % (file["path"], err.strerror))
        if before != content:
            out.append((dict(file, mode="%o" % stat.S_IMODE(state.st_mode)), content, (state.st_uid, state.st_gid)))
    return out


def revoke(server, token):
    """The server ends the token by itself if nobody can revoke it."""
    try:
        status, _ = server.once("POST", "auth/token/revoke-self", token=token, body={})
    except (Away, Problem) as err:
        log("cannot revoke the token, which expires by itself: %s" % err)
    else:
        log("has revoked the token" if status in (200, 204) else "the token was not valid any more")


def clean_up(server):
    """Removes what was needed to get the files."""
    token = credential(TOKEN)
    if token:
        revoke(server, token)
    for path in (TOKEN, SECRET_ID, UNWRAPPING, REFUSED):
        remove(path)


def with_certificate(config, files, use):
    """Logs in, has the files used, and ends the token whatever comes of it."""
    server = Server(config, Identity(config["tls"]))
    token = log_in_with_certificate(server, config)
    try:
        use(fetch_all(server, token, files))
    finally:
        revoke(server, token)
    return server


def run():
    if os.path.exists(DONE):
        log("done already")
        return
    config = read_config()
    files = config["files"]
    if not os.path.exists(WRITTEN):
        if config.get("tls"):
            with_certificate(config, files, write_all)
        else:
            server = Server(config)
            take_secret_id(server, config)
            write_all(fetch_all(server, login(server, config), files))
        write(WRITTEN, (now() + "\n").encode())
    clean_up(Server(config))
    write(DONE, (now() + "\n").encode())
    remove(WRITTEN)
    log("done: %d files" % len(files))


def refresh():
    """Fetches again. What was refused, and a server that is away, leave the files as they are."""
    if not os.path.exists(DONE):
        log("nothing to refresh: the first run has not ended")
        return
    config = read_config()
    if not config.get("tls"):
        raise Problem("a refresh needs a login with a certificate, tls in %s: the secret id is used up" % CONFIG)
    files = [file for file in config["files"] if not file.get("once")]

    def use(found):
        changed = replaced(found)
        # Kept until they are restarted: the next refresh finds the files as they should be.
        units = pending() | {unit for file, _, _ in changed for unit in file.get("restart", [])}
        if units:
            write(RESTART, ("\n".join(sorted(units)) + "\n").encode())
        write_all(changed)
        log("refreshed: %d of %d files are new" % (len(changed), len(files)))

    try:
        with_certificate(config, files, use)
    finally:
        restart()
    remove(REFUSED)


def pending():
    """Returns the services that wait for their restart. A power cut has restarted them, so that a damaged file is no loss."""
    try:
        with open(RESTART, encoding="ascii", errors="replace") as file:
            return {unit for unit in file.read().split() if re.match(r"^[A-Za-z0-9_.@:-]+[.]service$", unit)}
    except FileNotFoundError:
        return set()


def restart():
    """Restarts the services whose files are new, and does not wait for them. systemd does nothing to those that do not run."""
    units = sorted(pending())
    if not units:
        return
    try:
        status = subprocess.call(["systemctl", "try-restart", "--no-block", "--"] + units, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    except OSError as err:
        raise Problem("cannot start systemctl: %s" % err.strerror)
    if status != 0:
        raise Problem("cannot restart %s, which the next refresh tries again; look at: systemctl status %s" % (" ".join(units), " ".join(units)))
    remove(RESTART)
    log("restarts " + " ".join(units))


def locked_run(what, last):
    """Runs alone. Returns the status of the program."""
    os.umask(0o077)
    make_folders(STATE, 0o700)
    problem = ""
    with open(STATE + "/lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            what()
        except Problem as err:
            problem = str(err)
        except Exception as err:  # Its text can have anything in it.
            trace = err.__traceback__
            while trace.tb_next:
                trace = trace.tb_next
            problem = "line %d failed: %s" % (trace.tb_lineno, getattr(err, "strerror", None) or type(err).__name__)
        if problem:
            log("FATAL: " + problem)
        try:
            write(last, ("%s\n%s\n" % (now(), problem or "success")).encode())
        except OSError:
            log("cannot write %s; is the disk full?" % last)
    return 1 if problem else 0


def show_last(path, what):
    """Says how the last run or refresh ended; nothing if none has."""
    try:
        with open(path) as file:
            ended, problem = file.read().splitlines()[:2]
    except (OSError, ValueError):
        return False
    log("the last %s ended at %s: %s" % (what, ended, problem))
    return True


def show_status():
    if os.path.exists(DONE):
        log("done: the files are there since %s" % credential(DONE))
        show_last(LAST_REFRESH, "refresh")
        return 0
    log("not done")
    if not show_last(LAST_RUN, "run"):
        log("no run has ended yet")
    log("more: journalctl --unit fetch-secrets")
    return 1


if __name__ == "__main__":
    if sys.argv[1:] == []:
        sys.exit(locked_run(run, LAST_RUN))
    if sys.argv[1:] == ["refresh"]:
        sys.exit(locked_run(refresh, LAST_REFRESH))
    if sys.argv[1:] == ["status"]:
        sys.exit(show_status())
    log("the commands are refresh and status")
    sys.exit(2)
# The end.
