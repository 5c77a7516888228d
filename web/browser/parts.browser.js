/**
 * Sends a large file in parts, several at a time, each under its SHA-256: what broke off goes on by itself, and after the page was closed
 * too, when the same file is chosen again. Loaded only when such a file is sent.
 */

const { createRetry, failureOf, lostConnection, newKey, Refusal, Trouble } = await import("./retry.browser.js");

const PARALLEL_PARTS = 4;
const API = "/api/files/multipart";
/** Before the key of an init whose answer is not there yet. */
const BEGINNING = "init ";

/**
 * @typedef {object} PartsUpload
 * @property {Record<string, string>} settings Publish fields, as the form has them.
 * @property {string} site The site's configured address; it may be open under another name.
 * @property {AbortSignal} signal Gives the upload up, and what has arrived with it.
 * @property {(bytes: number) => void} onSent Bytes of this file that are there. @property {(bytes: number) => void} onResumed … from before.
 * @property {(reason: string) => void} onWait Why nothing leaves for now; empty: it does again.
 */

/**
 * Resolves to the page that the server answers. Rejects with a sentence for people, or with the name `Unreachable` where parts go to a store
 * that this browser cannot send to; with whatever the signal says where that gave it up.
 * @param {File} file @param {PartsUpload} upload @returns {Promise<string>}
 */
export async function sendInParts(file, upload) {
  const { settings, signal } = upload;
  // Other settings make another upload. Names alone would mix up two files.
  const memory = `filehost ${JSON.stringify([file.name, file.size, file.lastModified, settings])}`;
  const retry = createRetry(upload);
  const key = newKey();
  const session = await retry(() => openSession(file, memory, { ...upload, key }));
  // When one part fails for good, the others stop too: the next file's turn comes.
  const failing = new AbortController();
  try {
    await sendAll(file, session, { ...upload, signal: AbortSignal.any([signal, failing.signal]) });
    const page = await retry(() => complete(session.uploadId, signal));
    kept((storage) => storage.removeItem(memory));
    return page;
  } catch (error) {
    failing.abort();
    if (signal.aborted || error instanceof Refusal) {
      kept((storage) => storage.removeItem(memory));
      await ask(`${API}/abort`, { body: { uploadId: session.uploadId, key: session.key } }).catch(() => undefined);
    }
    throw error;
  }
}

/**
 * @typedef {object} Session
 * @property {string} uploadId @property {string} key @property {number} chunkSize Bytes. @property {number} totalParts
 * @property {Map<number, string>} there Part number → SHA-256 of what has arrived.
 */

/**
 * The session that is remembered for the file, else a new one. Until an init is answered its key is remembered: whether its answer is lost or the
 * page is closed, the same init again gives the session that it has made, so that none stays open unknown.
 * @param {File} file @param {string} memory @param {PartsUpload & { key: string }} upload @returns {Promise<Session>}
 */
async function openSession(file, memory, upload) {
  const noted = kept((storage) => storage.getItem(memory)) ?? "";
  try {
    if (noted.startsWith(BEGINNING)) await beginSession(file, memory, { ...upload, key: noted.slice(BEGINNING.length) });
    if (noted !== "") return await findSession(kept((storage) => storage.getItem(memory)) ?? "", upload.signal);
  } catch (error) {
    // It has ended since.
    if (!(error instanceof Refusal)) throw error;
  }
  return await beginSession(file, memory, upload);
}

/** With the parts that have arrived. @param {string} uploadId @param {AbortSignal} signal @returns {Promise<Session>} */
async function findSession(uploadId, signal) {
  const { data } = await ask(`${API}/${encodeURIComponent(uploadId)}`, { signal });
  return { ...data, there: new Map(data.parts.map((/** @type {any} */ part) => [part.partNumber, part.sha256])) };
}

/** @param {File} file @param {string} memory @param {PartsUpload & { key: string }} upload @returns {Promise<Session>} */
async function beginSession(file, memory, { settings, signal, key }) {
  kept((storage) => storage.setItem(memory, BEGINNING + key));
  const body = { ...settings, fileName: file.name, fileSize: file.size, fileType: file.type || undefined };
  const { data } = await ask(`${API}/init`, { body, signal, key });
  kept((storage) => storage.setItem(memory, data.uploadId));
  return { ...data, there: new Map() };
}

/** @param {File} file @param {Session} session @param {PartsUpload} upload */
async function sendAll(file, session, upload) {
  const { chunkSize, totalParts, there } = session;
  const { onSent, onResumed, signal } = upload;
  const retry = createRetry(upload);
  /** @type {Map<number, number>} Part number → bytes that have left. */
  const sent = new Map();
  let doneBytes = 0;

  /** @param {number} number */
  const slice = (number) => file.slice((number - 1) * chunkSize, number * chunkSize);
  const tell = () => onSent(doneBytes + [...sent.values()].reduce((sum, bytes) => sum + bytes, 0));

  /** Hashes what comes next, while the parts before it are under way. @param {number} first */
  async function prepare(first) {
    const digests = /** @type {Record<string, string>} */ ({});
    for (let number = first; number < first + PARALLEL_PARTS && number <= totalParts; number += 1) {
      signal.throwIfAborted();
      const digest = await digestOf(slice(number));
      if (there.get(number) !== digest) digests[number] = digest;
      else {
        doneBytes += slice(number).size;
        onResumed(doneBytes);
      }
    }
    if (Object.keys(digests).length === 0) return { digests, urls: {} };
    return { digests, urls: await retry(() => addressesOf(session, digests, signal)) };
  }

  /** @param {number} number @param {string} digest @param {string} firstUrl */
  async function sendPart(number, digest, firstUrl) {
    let url = firstUrl;
    await retry(async (attempt, onAlive) => {
      // The one before may have lapsed.
      if (attempt > 0) url = (await addressesOf(session, { [number]: digest }, signal))[number] ?? url;
      const target = atThisSite(url, upload.site);
      try {
        await put(target, slice(number), signal, (bytes) => {
          onAlive();
          sent.set(number, bytes);
          tell();
        });
      } catch (error) {
        sent.delete(number);
        if (error instanceof Trouble && target.origin !== location.origin && doneBytes === 0 && attempt > 0) {
          throw Object.assign(new Refusal("The store cannot be reached from this browser."), { name: "Unreachable" });
        }
        throw error;
      }
    });
    sent.delete(number);
    doneBytes += slice(number).size;
    tell();
  }

  let next = prepare(1);
  for (let first = 1; first <= totalParts; first += PARALLEL_PARTS) {
    const { digests, urls } = await next;
    if (first + PARALLEL_PARTS <= totalParts) {
      next = prepare(first + PARALLEL_PARTS);
      next.catch(() => undefined);
    }
    const [one, ...others] = Object.entries(digests).map(
      ([number, digest]) =>
        () =>
          sendPart(Number(number), digest, urls[number] ?? ""),
    );
    // Whether a store can be reached is seen by one part, not by all that would leave at once.
    const begun = one?.();
    if (doneBytes === 0) await begun;
    await Promise.all([begun, ...others.map((send) => send())]);
  }
}

/** @param {Session} session @param {Record<string, string>} partDigests @param {AbortSignal} signal @returns {Promise<Record<string, string>>} */
async function addressesOf({ uploadId, key }, partDigests, signal) {
  return (await ask(`${API}/batch-urls`, { body: { uploadId, key, partDigests }, signal })).urls;
}

/** @param {string} url @param {string} site */
function atThisSite(url, site) {
  const { origin, pathname, search } = new URL(url);
  return new URL(origin === new URL(site).origin ? pathname + search : url, location.href);
}

/** @param {string} uploadId @param {AbortSignal} signal */
async function complete(uploadId, signal) {
  const form = { method: "POST", body: new URLSearchParams({ uploadId }), headers: { Accept: "text/html" } };
  const answer = await reach("/uploads/complete", { ...form, signal });
  const html = await answer.text().catch(() => {
    throw lostConnection();
  });
  if (answer.ok) return html;
  const reason = new DOMParser().parseFromString(html, "text/html").querySelector("[data-message]")?.textContent;
  throw failureOf(answer.status, answer.headers.get("Retry-After"), reason);
}

/** @param {string} path @param {{ body?: unknown, signal?: AbortSignal, key?: string }} options `key`: an `Idempotency-Key`. @returns {Promise<any>} */
async function ask(path, { body, signal, key }) {
  const headers = {
    Accept: "application/json",
    ...(body ? { "Content-Type": "application/json" } : {}),
    ...(key ? { "Idempotency-Key": key } : {}),
  };
  const answer = await reach(path, { method: body ? "POST" : "GET", body: body ? JSON.stringify(body) : undefined, headers, signal });
  const json = await answer.json().catch(() => undefined);
  if (!answer.ok) throw failureOf(answer.status, answer.headers.get("Retry-After"), json?.error);
  if (json === undefined) throw lostConnection();
  return json;
}

/** @param {string} path @param {RequestInit} init */
async function reach(path, init) {
  return await fetch(path, init).catch(() => {
    init.signal?.throwIfAborted();
    throw lostConnection();
  });
}

/** @param {URL} url @param {Blob} bytes @param {AbortSignal} signal @param {(bytes: number) => void} onProgress @returns {Promise<void>} */
function put(url, bytes, signal, onProgress) {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    request.upload.onprogress = (event) => onProgress(event.loaded);
    request.onload = () => (request.status < 300 ? resolve() : reject(partFailure(request, url)));
    request.onerror = () => reject(lostConnection());
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener("abort", abort);
    request.open("PUT", url);
    // A type of its own would be a header that the address does not know.
    request.send(bytes.slice(0, bytes.size, ""));
  });
}

/** @param {XMLHttpRequest} request @param {URL} url */
function partFailure(request, url) {
  // The address may have expired: the next try asks for another.
  if (request.status === 403) return new Trouble("The server could not take the upload. Please try again.", "");
  // A store of its own shows a page only some of its headers, and asking for others is an error in the console.
  const retryAfter = url.origin === location.origin ? request.getResponseHeader("Retry-After") : null;
  return failureOf(request.status, retryAfter, reasonOf(request.responseText));
}

/** The sentence of an error of this server. @param {string} answer */
function reasonOf(answer) {
  try {
    return String(JSON.parse(answer).error ?? "");
  } catch {
    return "";
  }
}

/** @param {Blob} bytes */
async function digestOf(bytes) {
  const read = await bytes.arrayBuffer().catch(() => {
    throw new Refusal("The file has changed, or cannot be read any more. Choose it again.");
  });
  const digest = await crypto.subtle.digest("SHA-256", read);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A browser may keep nothing. @param {(storage: Storage) => string | null | void} act */
function kept(act) {
  try {
    return act(localStorage);
  } catch {
    return null;
  }
}
