/** What the upload form gains with JavaScript: dropping a file anywhere on the page, progress, cancelling, and the result without a new page. */

const form = document.getElementById("upload");
if (form instanceof HTMLFormElement) improveForm(form);

/** @param {HTMLFormElement} form */
function improveForm(form) {
  const file = element("file", HTMLInputElement);
  const drop = file.parentElement;
  const submit = form.querySelector("button[type=submit]");
  const progress = element("progress", HTMLElement);
  const progressText = element("progress-text", HTMLElement);
  const bar = element("bar", HTMLProgressElement);
  const problem = element("problem", HTMLElement);
  const maxBytes = Number(form.dataset.maxBytes);
  const fields = form.querySelectorAll("select, input");
  /** @type {XMLHttpRequest | undefined} */
  let running;

  /** @param {string} text Empty: there is none. */
  function tell(text) {
    problem.textContent = text;
    problem.hidden = text === "";
  }

  /** @param {boolean} uploading */
  function setUploading(uploading) {
    progress.hidden = !uploading;
    submit?.toggleAttribute("hidden", uploading);
    for (const field of fields) field.toggleAttribute("disabled", uploading);
    form.setAttribute("aria-busy", String(uploading));
    if (uploading) element("cancel", HTMLElement).focus();
    else running = undefined;
  }

  function check() {
    const chosen = file.files?.[0];
    const tooLarge = chosen !== undefined && chosen.size > maxBytes;
    tell(tooLarge ? `This file is too large: ${inUnits(chosen.size)}, and at most ${inUnits(maxBytes)} can be uploaded here.` : "");
    return chosen !== undefined && !tooLarge;
  }

  function upload() {
    if (running || !check()) return;
    // Read before the fields are disabled: disabled fields are not sent.
    const body = new FormData(form);
    const request = new XMLHttpRequest();
    running = request;
    const startMs = performance.now();
    setUploading(true);
    show(0, 0);

    /** @param {number} sent @param {number} total Bytes. */
    function show(sent, total) {
      const done = total > 0 ? sent / total : 0;
      bar.value = done * 100;
      const leftSeconds = ((performance.now() - startMs) / 1000) * (1 / done - 1);
      const left = done > 0.02 && leftSeconds > 2 ? `, ${inTime(leftSeconds)} left` : "";
      progressText.textContent = done >= 1 ? "Finishing…" : `Uploading… ${Math.floor(done * 100)} %${left}`;
    }

    request.upload.onprogress = (event) => show(event.loaded, event.total);
    request.onload = () => {
      setUploading(false);
      if (request.status < 300) {
        document.dispatchEvent(new CustomEvent("filehost:page", { detail: request.responseText }));
        scrollTo(0, 0);
      } else tell(reasonOf(request.responseText));
    };
    request.onerror = () => {
      setUploading(false);
      tell("The upload was interrupted. Check your connection and try again.");
    };
    request.onabort = () => {
      setUploading(false);
      if (submit instanceof HTMLElement) submit.focus();
    };
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "text/html");
    request.send(body);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    upload();
  });
  file.addEventListener("change", check);
  element("cancel", HTMLElement).addEventListener("click", () => running?.abort());
  addEventListener("beforeunload", (event) => {
    if (running) event.preventDefault();
  });
  addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    drop?.classList.add("over");
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) drop?.classList.remove("over");
  });
  addEventListener("drop", (event) => {
    const files = event.dataTransfer?.files;
    drop?.classList.remove("over");
    if (!files || files.length === 0) return;
    event.preventDefault();
    if (running || !form.isConnected) return;
    if (files.length > 1) return tell("One file at a time, please.");
    file.files = files;
    check();
  });
}

/**
 * @template {HTMLElement} Kind
 * @param {string} id @param {new () => Kind} kind
 */
function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`no element ${id}`);
  return found;
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

/** @param {number} bytes */
function inUnits(bytes) {
  const power = Math.max(0, Math.min(4, Math.floor(Math.log(bytes) / Math.log(1024))));
  return `${Number((bytes / 1024 ** power).toPrecision(3))} ${["bytes", "KB", "MB", "GB", "TB"][power]}`;
}

/** @param {number} seconds */
function inTime(seconds) {
  if (seconds < 90) return `${Math.ceil(seconds)} seconds`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
