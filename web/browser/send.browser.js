/** Sends one file, in one request or in parts. Loaded when the first file is sent. */

const { createRetry, lostConnection, newKey, toFailure } = await import("./retry.browser.js");

/** Smaller files have only one part, so they cannot be resumed. */
const IN_PARTS_FROM_BYTES = 16 * 1024 * 1024;

/**
 * Resolves to the server's page. Rejects with a sentence for people, or with the signal's reason.
 * @param {string} action Of the form. @param {File} file @param {import("./parts.browser.js").PartsUpload} options @returns {Promise<string>}
 */
export async function sendFile(action, file, options) {
  // Digests require a secure context: HTTPS or localhost.
  if (file.size <= IN_PARTS_FROM_BYTES || !globalThis.crypto?.subtle) return await sendDirectly(action, file, options);
  const { sendInParts } = await import("./parts.browser.js").catch(() => {
    throw new Error("Part of this page did not load. Check your connection and reload the page.");
  });
  try {
    return await sendInParts(file, options);
  } catch (error) {
    if (!(error instanceof Error && error.name === "Unreachable")) throw error;
    return await sendDirectly(action, file, options);
  }
}

/**
 * Sends the form in one request, with an `Idempotency-Key`, so that it can be repeated if its response is lost.
 * @param {string} action @param {File} file @param {import("./parts.browser.js").PartsUpload} options @returns {Promise<string>}
 */
async function sendDirectly(action, file, options) {
  const key = getKey(file, options.settings);
  return await createRetry(options)(async (_, onAlive) => {
    const { status, responseText, retryAfter } = await post(action, file, { ...options, key, onAlive });
    if (status < 300) return responseText;
    throw toFailure(status, retryAfter, readReason(responseText));
  });
}

/** @type {WeakMap<File, { settings: string, key: string }>} */
const keys = new WeakMap();

/** Returns the same key if a file is sent again with the same settings, after its upload seemed to fail. @param {File} file @param {object} settings */
function getKey(file, settings) {
  const text = JSON.stringify(settings);
  const known = keys.get(file);
  if (known?.settings === text) return known.key;
  const key = newKey();
  keys.set(file, { settings: text, key });
  return key;
}

/**
 * @param {string} action @param {File} file @param {import("./parts.browser.js").PartsUpload & { key: string, onAlive: () => void }} options
 * @returns {Promise<{ status: number, responseText: string, retryAfter: string | null }>}
 */
function post(action, file, { settings, signal, onSent, key, onAlive }) {
  // A signal that has already aborted does not call listeners.
  signal.throwIfAborted();
  const body = new FormData();
  for (const [name, value] of Object.entries(settings)) body.append(name, value);
  body.append("file", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    request.upload.onprogress = (event) => {
      onAlive();
      onSent(event.loaded);
    };
    request.onload = () => {
      const { status, responseText } = request;
      resolve({ status, responseText, retryAfter: request.getResponseHeader("Retry-After") });
    };
    request.onerror = () => reject(lostConnection());
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener("abort", abort);
    request.open("POST", action);
    request.setRequestHeader("Accept", "text/html");
    request.setRequestHeader("Idempotency-Key", key);
    request.send(body);
  });
}

/** The message of an error page or of an error's JSON; empty if there is none. @param {string} body */
function readReason(body) {
  const page = new DOMParser().parseFromString(body, "text/html");
  const text = page.querySelector("[data-message]")?.textContent;
  if (text) return text;
  try {
    return String(JSON.parse(body).error ?? "");
  } catch {
    return "";
  }
}
