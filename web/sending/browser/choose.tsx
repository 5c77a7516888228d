/** @jsxImportSource preact */
/** The step of choosing what to send: files, folders, photos and text, and the settings of the link. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { send as texts } from "#texts/sending";
import { shareFields } from "#texts/share";
import { alias as aliasTexts, notify as notifyTexts } from "#texts/site";
import { sizeFromPage } from "../../../src/transfer/encryption/encrypted-size.ts";
import { announce } from "../../site/browser/components/announce.ts";
import { keepFocus } from "../../site/browser/components/focus.ts";
import { language, size, span } from "../../site/browser/components/format.ts";
import { getNoticeChoices, isSignedIn } from "../../site/browser/page/signed-in.ts";
import { UploadIcon } from "../../site/icons.tsx";
import { type ChosenOptions, hasPassword, type Retention, SendOptions, withoutDefaults } from "../send-options.tsx";
import { addChosen, type ChosenFile, sumBytes, toChosenFile, toSentFile } from "./chosen-files.ts";
import { ChosenList } from "./chosen-list.tsx";
import { readDropped } from "./dropped-files.ts";
import { FileChoices } from "./file-choices.tsx";
import { findOnlyFolder, toRows } from "./folder-rows.ts";
import { TextNote, toTextFile } from "./text-note.tsx";
import type { Job } from "./use-upload.ts";

/** The largest number of files of a shipment. */
const MAX_FILES = 10_000;
/** The largest number of characters of a title. */
const MAX_TITLE = 120;

/** Returns the title of a share that has one folder: the name of the folder. Undefined for other shares. */
const toTitle = (files: readonly ChosenFile[]): string | undefined => findOnlyFolder(files)?.slice(0, MAX_TITLE);

/** Reads the filled fields, without the files. A password may consist of spaces. */
function readForm(form: HTMLFormElement): ChosenOptions & { readonly noteName: string | undefined } {
  const fields = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === "string" && (name === "password" ? value : value.trim()) ? [[name, value]] : [],
  );
  const { noteName, note: _, encrypt, ...settings } = Object.fromEntries(fields) as Record<string, string>;
  return { noteName, isEncrypted: encrypt !== undefined, settings: withoutDefaults(settings) };
}

export interface ChooseProps {
  readonly chosen: readonly ChosenFile[];
  onChange(chosen: readonly ChosenFile[]): void;
  onSend(job: Job): void;
  /** Whether the script that sends is being loaded. */
  readonly isStarting: boolean;
  onCancel(): void;
  readonly problem: string;
  onProblem(problem: string): void;
  readonly maxBytes: number;
  /** The size of the largest file with an account; undefined if one does not help. */
  readonly accountBytes?: number | undefined;
  /** The storage that the sender has left; undefined if it is not limited, or nothing of it is used. */
  readonly leftBytes?: number | undefined;
  /** Undefined for a request. */
  readonly retention?: Retention;
  /** Whether the server accepts encrypted files. */
  readonly canEncrypt?: boolean;
  /** The settings with which the fields begin, because this step is shown again after an upload that failed or was cancelled. */
  readonly options?: ChosenOptions | undefined;
  onOptions?(options: ChosenOptions): void;
  /** The fields of a request, in place of the settings of a link, which a submission does not have. */
  readonly request?: {
    readonly fields: ComponentChildren;
    readonly submitLabel: string;
    readonly limits: string;
    /** Whether files are scanned for malware before the owner of the request gets them. */
    readonly isScanned: boolean;
  };
}

export function Choose(props: ChooseProps) {
  const {
    chosen,
    onChange,
    onSend,
    isStarting,
    onCancel,
    problem,
    onProblem,
    maxBytes,
    accountBytes,
    leftBytes,
    retention,
    canEncrypt,
    onOptions,
    request,
  } = props;
  const form = useRef<HTMLFormElement>(null);
  const latest = useRef(chosen);
  latest.current = chosen;
  const [note, setNote] = useState<string>();
  const [reading, setReading] = useState(0);
  // Other values at a later rendering would change what a person has entered.
  const [initialOptions] = useState(props.options);
  const [isEncrypted, setEncrypted] = useState(initialOptions?.isEncrypted ?? false);
  const [usesPassword, setUsesPassword] = useState(initialOptions !== undefined && hasPassword(initialOptions.settings));
  const hasNote = Boolean(note?.trim());
  /** The list below, or the text, needs the space. */
  const isCompact = chosen.length > 0 || note !== undefined;
  const hasSomething = chosen.length > 0 || hasNote;
  const fileRows = toRows(chosen).length;
  const change = (all: readonly ChosenFile[]): void => {
    onProblem("");
    onChange(all);
  };
  const removeAll = (): void => {
    change([]);
    keepFocus("#file");
  };
  const wanted = [...chosen.map(toSentFile), ...(hasNote ? [{ sizeBytes: new Blob([note ?? ""]).size }] : [])];
  const chosenBytes = sumBytes(wanted);
  const neededBytes = isEncrypted ? sumBytes(wanted.map(({ sizeBytes }) => ({ sizeBytes: sizeFromPage(sizeBytes) }))) : chosenBytes;
  const isTooMuch = leftBytes !== undefined && neededBytes > leftBytes;

  const adding = useRef<Promise<unknown>>(Promise.resolve());

  /** Calls functions that add files one after the other. */
  const inTurn = <T,>(run: () => Promise<T>): Promise<T> => {
    const result = adding.current.then(run);
    adding.current = result.catch(() => undefined);
    return result;
  };

  const add = (found: readonly ChosenFile[], problem = ""): Promise<void> => inTurn(() => addNow(found, problem));

  const addNow = async (found: readonly ChosenFile[], problem: string): Promise<void> => {
    const tooLarge = found.filter(({ file }) => file.size > maxBytes);
    const [first] = tooLarge;
    const limit = size(maxBytes);
    const refusal = !first ? "" : tooLarge.length === 1 ? texts.tooLarge(first.path, limit) : texts.tooLargeMany(tooLarge.length, limit);
    const advice =
      accountBytes !== undefined && tooLarge.some(({ file }) => file.size <= accountBytes)
        ? texts.largerWithAccount(size(accountBytes))
        : "";
    const fitting = await addChosen(
      latest.current,
      found.filter(({ file }) => file.size <= maxBytes),
    );
    const all = fitting.slice(0, MAX_FILES);
    const rest = fitting.length > all.length ? texts.tooMany(texts.files(MAX_FILES)) : "";
    onProblem([refusal, advice, rest, problem].filter(Boolean).join(" "));
    latest.current = all;
    onChange(all);
    if (all.length > 0) announce(texts.files(all.length));
  };

  const receive = async (data: DataTransfer): Promise<void> => {
    try {
      const { files, hasFailed, hasFolder } = await readDropped(data, (count) => count > 200 && setReading(count));
      await add(files, hasFailed ? texts.unreadable : hasFolder && files.length === 0 ? texts.emptyFolder : "");
    } finally {
      setReading(0);
    }
  };

  useLayoutEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const drop = () => form.current?.querySelector(".send-drop");
    addEventListener(
      "dragover",
      (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        drop()?.classList.add("over");
      },
      { signal },
    );
    addEventListener("dragleave", (event) => event.relatedTarget === null && drop()?.classList.remove("over"), { signal });
    addEventListener(
      "drop",
      (event) => {
        drop()?.classList.remove("over");
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        void receive(event.dataTransfer);
      },
      { signal },
    );
    // These files or texts were shared with the installed site.
    document.addEventListener("filehost:text", (event) => event instanceof CustomEvent && setNote(String(event.detail)), { signal });
    addEventListener(
      "paste",
      (event) => {
        const data = event.clipboardData;
        const isTyping = event.target instanceof Element && event.target.closest("input:not([type=file]), textarea");
        if (!data || (isTyping && data.files.length === 0)) return;
        const text = data.getData("text/plain");
        if (data.files.length > 0) void receive(data);
        else if (text) setNote((note) => (note ? `${note}\n${text}` : text));
        else return;
        event.preventDefault();
      },
      { signal },
    );
    return () => listening.abort();
  }, []);

  const removeNote = (): void => {
    setNote(undefined);
    keepFocus(".send-choices > button");
  };

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!form.current || !hasSomething || isStarting) return;
    const { noteName, ...options } = readForm(form.current);
    const { isEncrypted, settings } = options;
    onOptions?.(options);
    const files = await inTurn(async () => {
      const { current } = latest;
      return note?.trim() ? await addChosen(current, [toChosenFile(toTextFile(note, noteName))]) : current;
    });
    // The server must not learn the name of an encrypted folder.
    const title = request || isEncrypted ? undefined : toTitle(files);
    onSend({ files, isEncrypted, settings: { ...(title !== undefined && { title }), ...settings } });
  };

  // A single row says the same.
  const total = fileRows + (hasNote ? 1 : 0) > 1 ? `${texts.files(chosen.length + (hasNote ? 1 : 0))}, ${size(chosenBytes)}` : "";
  const limits = [
    request?.limits ?? texts.limits(size(maxBytes), retention === undefined || retention.isKept ? undefined : span(retention.longestMs)),
    leftBytes === undefined ? "" : texts.storageLeft(leftBytes === 0 ? undefined : size(leftBytes)),
    request && !request.isScanned ? texts.notScanned : "",
  ]
    .filter(Boolean)
    .join(" ");

  return (
    <form
      ref={form}
      class={`card send${isCompact ? " compact" : ""}`}
      id="upload"
      onSubmit={(event) => void submit(event)}
      onChange={({ currentTarget }) => {
        const { noteName: _, ...options } = readForm(currentTarget);
        onOptions?.(options);
      }}
      aria-busy={isStarting}
    >
      <FileChoices
        chosen={chosen}
        isCompact={isCompact}
        onFiles={(files) => void add(files.map(toChosenFile))}
        onText={() => setNote(note ?? "")}
      >
        {isCompact ? null : <UploadIcon />}
        {reading > 0 ? (
          <p class="quiet" role="status">
            {texts.reading(reading)}
          </p>
        ) : null}
      </FileChoices>
      {problem === "" ? null : (
        <p class="problem" id="problem" role="alert">
          {problem}
        </p>
      )}
      {note === undefined ? null : <TextNote text={note} onChange={setNote} onRemove={removeNote} />}
      <ChosenList chosen={chosen} onChange={change} />
      {request?.fields}
      {retention === undefined ? null : (
        <SendOptions
          texts={texts}
          fields={shareFields}
          language={language}
          retention={retention}
          notifyTexts={isSignedIn() ? notifyTexts : undefined}
          notices={getNoticeChoices()}
          aliasTexts={isSignedIn() ? aliasTexts : undefined}
          defaultTitle={hasNote || isEncrypted ? undefined : toTitle(chosen)}
          canEncrypt={canEncrypt}
          onEncrypt={setEncrypted}
          usesPassword={usesPassword}
          onProtect={setUsesPassword}
          initial={initialOptions}
        />
      )}
      {isTooMuch ? (
        <p class="problem" role="alert">
          {texts.tooMuch(size(neededBytes), leftBytes === 0 ? undefined : size(leftBytes))}
        </p>
      ) : null}
      <div class="send-go">
        {isStarting ? (
          <button key="cancel" class="button plain" type="button" onClick={onCancel}>
            {texts.cancel}
          </button>
        ) : hasSomething ? (
          <button key="submit" class="button" type="submit" id="submit" disabled={isTooMuch}>
            {request?.submitLabel ?? texts.getLink}
          </button>
        ) : null}
        <p class="quiet" id="limits">
          {hasSomething ? total : limits}
        </p>
        {fileRows > 1 ? (
          <button class="send-quiet" type="button" onClick={removeAll}>
            {texts.removeAll}
          </button>
        ) : null}
      </div>
    </form>
  );
}
