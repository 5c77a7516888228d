/** Sends one file, in the way that fits its size. Loaded when the first is sent. */

/** A file of one part has nothing to go on with. */
const IN_PARTS_FROM_BYTES = 16 * 1024 * 1024;
/** The general rate's window is a minute. */
const LONGEST_WAIT_SECONDS = 90;

/**
 * Resolves to the page that the server answers; rejects with a sentence for people, or with what the signal says.
 * @param {string} action Of the form. @param {File} file @param {import("./parts.browser.js").PartsUpload} options @returns {Promise<string>}
 */
export async function sendFile(action, file, options) {
  // Digests need a secure context, which plain HTTP is not, beyond localhost.
  if (file.size <= IN_PARTS_FROM_BYTES || !globalThis.crypto?.subtle) return await sendWhole(action, file, options);
  const { sendInParts } = await import("./parts.browser.js").catch(() => {
    throw new Error("A part of this page could not be loaded. Check your connection, load the page again and choose the file once more.");
  });
  try {
    return await sendInParts(file, options);
  } catch (error) {
    if (!(error instanceof Error && error.name === "Unreachable")) throw error;
    return await sendWhole(action, file, options);
  }
}

/**
 * One request, as the form without a script sends it; again where many files go faster than the server's rate for one address.
 * @param {string} action @param {File} file @param {import("./parts.browser.js").PartsUpload} options @returns {Promise<string>}
 */
async function sendWhole(action, file, options) {
  for (;;) {
    const { status, responseText, retryAfterSeconds } = await post(action, file, options);
    if (status < 300) return responseText;
    if (status !== 429 || !(retryAfterSeconds <= LONGEST_WAIT_SECONDS)) throw new Error(reasonOf(responseText));
    options.onWait("The server asks for a pause. This goes on by itself…");
    await new Promise((resolve, reject) => {
      setTimeout(resolve, retryAfterSeconds * 1000);
      options.signal.addEventListener("abort", () => reject(options.signal.reason), { once: true });
    });
    options.onWait("");
  }
}

/**
 * @param {string} action @param {File} file @param {import("./parts.browser.js").PartsUpload} options
 * @returns {Promise<{ status: number, responseText: string, retryAfterSeconds: number }>}
 */
function post(action, file, { settings, signal, onSent }) {
  // A signal that was given before tells no listener.
  signal.throwIfAborted();
  const body = new FormData();
  for (const [name, value] of Object.entries(settings)) body.append(name, value);
  body.append("file", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    request.upload.onprogress = (event) => onSent(event.loaded);
    request.onload = () => {
      const { status, responseText } = request;
      resolve({ status, responseText, retryAfterSeconds: Number(request.getResponseHeader("Retry-After") || "NaN") });
    };
    request.onerror = () => reject(new Error("The upload was interrupted. Check your connection and try again."));
    request.onabort = () => reject(signal.reason);
    request.onloadend = () => signal.removeEventListener("abort", abort);
    request.open("POST", action);
    request.setRequestHeader("Accept", "text/html");
    request.send(body);
  });
}

/** @param {string} answer A message page, or the JSON of an error. */
function reasonOf(answer) {
  const page = new DOMParser().parseFromString(answer, "text/html");
  const text = page.querySelector("[data-message]")?.textContent;
  if (text) return text;
  try {
    return String(JSON.parse(answer).error);
  } catch {
    return "The server could not take the upload. Please try again.";
  }
}
