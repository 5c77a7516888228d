/** @jsxImportSource preact */
import { useState } from "preact/hooks";
import { ownKey as texts } from "#texts/requests";
import { findKeptKey, openKeptKey, readRecoveryFile, shortKey } from "./own-key.ts";
import { openReceivedFiles } from "./received-files.ts";

export interface ReceivedKeyProps {
  /** The public key of the request. */
  readonly encryptTo: string;
}

/** Renders the fields that open what was received: the passphrase of the key in this browser, or its recovery file. Neither leaves this device. */
export function ReceivedKey({ encryptTo }: ReceivedKeyProps) {
  const [kept] = useState(() => findKeptKey(encryptTo));
  const [passphrase, setPassphrase] = useState("");
  const [problem, setProblem] = useState("");
  const [isTrying, setTrying] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const hasPassphrase = kept?.sealed !== undefined;

  const open = async (find: () => Promise<string | undefined>, wrong: string): Promise<void> => {
    if (isTrying) return;
    setTrying(true);
    setProblem("");
    try {
      const identity = await find();
      if (identity === undefined) return setProblem(wrong);
      void openReceivedFiles(identity);
      setOpen(true);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setTrying(false);
    }
  };
  const findInFile = async (file: Blob): Promise<string | undefined> =>
    (await readRecoveryFile(file)).find(({ recipient }) => recipient === encryptTo)?.identity;

  if (isOpen)
    return (
      <p class="quiet" role="status">
        {texts.opened}
      </p>
    );
  return (
    <form
      class="own-key"
      onSubmit={(event) => {
        event.preventDefault();
        if (kept) void open(() => openKeptKey(kept, passphrase), texts.wrongPassphrase);
      }}
    >
      <p>{hasPassphrase ? texts.lockedWithPassphrase : texts.locked}</p>
      {hasPassphrase ? (
        <>
          <label class="field" for="open-passphrase">
            {texts.passphrase}
            <input
              id="open-passphrase"
              type="password"
              autoComplete="current-password"
              value={passphrase}
              onInput={({ currentTarget }) => setPassphrase(currentTarget.value)}
            />
          </label>
          <p>
            <button class="button" type="submit" disabled={isTrying}>
              {isTrying ? texts.trying : texts.open}
            </button>
          </p>
        </>
      ) : null}
      <label class={hasPassphrase ? "button plain key-file" : "button key-file"}>
        {texts.chooseFile}
        <input
          id="open-file"
          class="send-field"
          type="file"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) void open(() => findInFile(file), texts.wrongFile(shortKey(encryptTo)));
            // Clearing the field allows choosing the same file again.
            currentTarget.value = "";
          }}
        />
      </label>
      {problem === "" ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <details>
        <summary>{texts.details}</summary>
        <p class="quiet">{texts.forKey(shortKey(encryptTo))}</p>
      </details>
    </form>
  );
}
