/**
 * Improves the upload form: several files, dropped or pasted anywhere on the page, which can be removed before they are sent; progress and
 * cancelling; large files in resumable parts; and results without a new page.
 */

const form = document.getElementById("upload");
if (form instanceof HTMLFormElement) improveForm(form);

/** Tile colours by media type, as in `file-name.tsx`. @type {readonly (readonly [RegExp, string])[]} */
const KINDS = [
  [/^(image|video|audio)\//, "media"],
  [/zip|tar|compressed/, "archive"],
  [/csv|json|sheet|excel/, "table"],
];

/** Source code and keys, which some systems mistake for video and other types. */
const TEXTS = /^\.([cm]?ts|tsx|rs|key|pub|py|go|rb)$/i;

/** @typedef {{ file: File, row: HTMLElement, word: HTMLElement }} Chosen */

/** @param {HTMLFormElement} form */
function improveForm(form) {
  const input = element("file", HTMLInputElement);
  const drop = element("drop", HTMLElement);
  const list = element("chosen", HTMLElement);
  const options = element("options", HTMLElement);
  const submit = element("submit", HTMLButtonElement);
  const progress = element("progress", HTMLElement);
  const progressText = element("progress-text", HTMLElement);
  const bar = element("bar", HTMLProgressElement);
  const problem = element("problem", HTMLElement);
  const confirmCancel = element("confirm", HTMLDialogElement);
  const maxBytes = Number(form.dataset.maxBytes);
  const fields = form.querySelectorAll("select, input");
  /** @type {Chosen[]} */
  let chosen = [];
  /** @type {string[]} The server's pages, one for each finished upload. */
  const pages = [];
  /** @type {AbortController | undefined} */
  let running;
  /** Whether bytes of the current file were sent. */
  let hasSent = false;

  input.multiple = true;
  showChosen();

  /** @param {string} text Empty: hides the problem. */
  function showProblem(text) {
    problem.textContent = text;
    problem.hidden = text === "";
  }

  /** @param {readonly File[]} files */
  function add(files) {
    if (running) return;
    const problems = [];
    for (const file of files) {
      if (
        chosen.some(
          (other) => other.file.name === file.name && other.file.size === file.size && other.file.lastModified === file.lastModified,
        )
      )
        continue;
      if (file.size > maxBytes) {
        problems.push(`“${file.name}” is too large: it has ${formatSize(file.size)}, and the limit is ${formatSize(maxBytes)}.`);
      } else {
        const item = toRow(file, () => remove(item));
        chosen.push(item);
        list.append(item.row);
      }
    }
    showProblem(problems.join(" "));
    showChosen();
  }

  /** @param {Chosen} item */
  function remove(item) {
    const next = chosen[chosen.indexOf(item) + 1] ?? chosen.at(-2);
    chosen = chosen.filter((other) => other !== item);
    item.row.remove();
    showProblem("");
    showChosen();
    (next?.row.querySelector("button") ?? input).focus();
  }

  function showChosen() {
    const { length } = chosen;
    list.hidden = length === 0;
    // Screen readers announce the number of files in the field.
    const files = new DataTransfer();
    for (const { file } of chosen) files.items.add(file);
    input.files = files.files;
    input.setAttribute("aria-label", length > 0 ? "Choose more files to upload" : "Choose files to upload");
    form.classList.toggle("has-files", length > 0);
    element("choose", HTMLElement).textContent = length > 0 ? "Choose more" : "Choose files";
    element("drop-text", HTMLElement).textContent = length > 0 ? "Drop more files here" : "Drop files here";
    submit.textContent = length > 1 ? `Upload ${length} files` : "Upload and get a link";
  }

  /** @param {boolean} uploading */
  function setUploading(uploading) {
    progress.hidden = !uploading;
    submit.hidden = uploading;
    drop.hidden = uploading;
    options.hidden = uploading;
    for (const field of fields) field.toggleAttribute("disabled", uploading);
    for (const button of list.querySelectorAll("button")) button.hidden = uploading;
    form.setAttribute("aria-busy", String(uploading));
    if (uploading) element("cancel", HTMLElement).focus();
  }

  function endUploading() {
    running = undefined;
    confirmCancel.close();
    setUploading(false);
    showChosen();
  }

  async function upload() {
    if (running || chosen.length === 0) return;
    // Read before the fields are disabled, because FormData omits disabled fields.
    const settings = /** @type {Record<string, string>} */ (
      Object.fromEntries([...new FormData(form)].filter(([name, value]) => name !== "file" && value !== ""))
    );
    running = new AbortController();
    const { signal } = running;
    showProblem("");
    setUploading(true);
    const count = chosen.length;
    /** @type {string[]} */
    const reasons = [];
    const scripts = await loadScripts().catch(() => undefined);
    if (!scripts) {
      endUploading();
      return showProblem("Part of this page did not load. Check your connection and reload the page.");
    }
    const { sender, results, createMeter } = scripts;
    const meter = createMeter(chosen.reduce((sum, { file }) => sum + file.size, 0));
    for (const [index, item] of [...chosen].entries()) {
      const prefix = count > 1 ? `${index + 1} of ${count}: ` : "";
      const bytesBefore = meter.doneBytes;
      let waitReason = "";
      hasSent = false;
      const show = (/** @type {number} */ bytes) => {
        meter.doneBytes = bytesBefore + Math.min(bytes, item.file.size);
        bar.value = meter.percent();
        progressText.textContent = prefix + (waitReason || meter.describe(bytes >= item.file.size));
      };
      item.word.textContent = "· Uploading…";
      show(0);
      try {
        pages.push(
          await sender.sendFile(form.action, item.file, {
            settings,
            signal,
            site: form.dataset.site ?? location.origin,
            onSent(bytes) {
              hasSent ||= bytes > 0;
              show(bytes);
            },
            onResumed(bytes) {
              hasSent = true;
              meter.skip(bytesBefore + bytes);
              show(bytes);
            },
            onWait(reason) {
              waitReason = reason;
              element("announcer", HTMLElement).textContent = reason;
              show(meter.doneBytes - bytesBefore);
            },
          }),
        );
        chosen = chosen.filter((other) => other !== item);
        item.row.remove();
      } catch (error) {
        item.word.textContent = signal.aborted ? "" : "· Not uploaded";
        if (signal.aborted) break;
        const reason = error instanceof Error ? error.message : String(error);
        reasons.push(count > 1 ? `“${item.file.name}”: ${reason}` : reason);
      }
      meter.doneBytes = bytesBefore + item.file.size;
    }
    endUploading();
    if (pages.length > 0) results.showResults(pages, chosen.length === 0 ? undefined : element("results", HTMLElement));
    showProblem([...new Set(reasons)].join(" "));
    if (signal.aborted) submit.focus();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void upload();
  });
  input.addEventListener("change", () => add([...(input.files ?? [])]));
  element("cancel", HTMLElement).addEventListener("click", () => (hasSent ? confirmCancel.showModal() : running?.abort()));
  element("keep", HTMLElement).addEventListener("click", () => confirmCancel.close());
  element("discard", HTMLElement).addEventListener("click", (event) => {
    // The dialog opens under the pointer: ignores the second click of a double click on Cancel.
    if (event.detail > 1) return;
    confirmCancel.close();
    running?.abort();
  });
  addEventListener("beforeunload", (event) => {
    if (running) event.preventDefault();
  });
  addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    drop.classList.add("over");
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) drop.classList.remove("over");
  });
  addEventListener("drop", (event) => {
    drop.classList.remove("over");
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (!form.isConnected) return;
    const items = [...event.dataTransfer.items].filter(({ kind }) => kind === "file");
    const hasFolder = items.some((item) => item.webkitGetAsEntry?.()?.isDirectory);
    add(items.flatMap((item) => (item.webkitGetAsEntry?.()?.isDirectory ? [] : (item.getAsFile() ?? []))));
    if (hasFolder) showProblem("You cannot upload folders. Drop the files in it, or a ZIP file.");
  });
  addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0 || !form.isConnected) return;
    event.preventDefault();
    add(files);
  });
}

/** Loads the scripts that are required only for sending. */
async function loadScripts() {
  const [sender, results, { createMeter }] = await Promise.all([
    import("./send.browser.js"),
    import("./results.browser.js"),
    import("./meter.browser.js"),
  ]);
  return { sender, results, createMeter };
}

/** Makes a row of the list, with a button that removes the file. @param {File} file @param {() => void} onRemove @returns {Chosen} */
function toRow(file, onRemove) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById("chosen-row"));
  const row = /** @type {HTMLElement} */ (/** @type {HTMLElement} */ (template.content.firstElementChild).cloneNode(true));
  const field = (/** @type {string} */ name) => /** @type {HTMLElement} */ (row.querySelector(`[data-field=${name}]`));
  const end = /(?<=.)\.[\p{L}\p{N}]{1,12}$/u.exec(file.name)?.[0] ?? "";
  field("tile").textContent = end.length > 6 ? "" : end.slice(1).toUpperCase();
  const stem = Array.from(file.name.slice(0, file.name.length - end.length));
  field("name").textContent = stem.length > 60 ? `${stem.slice(0, 40).join("")}…${stem.slice(-15).join("")}` : stem.join("");
  field("end").textContent = end;
  const kind = TEXTS.test(end) ? undefined : KINDS.find(([types]) => types.test(file.type))?.[1];
  if (kind) field("tile").classList.add(kind);
  field("size").textContent = formatSize(file.size);
  field("removes").textContent = ` ${file.name}`;
  field("remove").addEventListener("click", onRemove);
  return { file, row, word: field("word") };
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

/** Formats a size as `src/lib/format-size.ts` does. @param {number} bytes */
function formatSize(bytes) {
  const power = Math.max(0, Math.min(4, Math.floor(Math.log(bytes) / Math.log(1024))));
  const value = bytes / 1024 ** power;
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ${[bytes === 1 ? "byte" : "bytes", "KB", "MB", "GB", "TB"][power]}`;
}
