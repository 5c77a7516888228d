/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import { ownKey as texts } from "#texts/requests";
import { isAgeRecipient } from "../../../src/contract/age-recipient.ts";
import { announce } from "../../site/browser/components/announce.ts";
import type { OwnKey } from "../../site/browser/upload/encryption/worker-messages.ts";
import { createOwnKey, findKeptKey, keepKey, readRecoveryFile, saveRecoveryFile, shortKey } from "./own-key.ts";

/** The shortest passphrase. Whoever has the bytes of the key can try passphrases. */
const MIN_PASSPHRASE = 12;

type Place = "save" | "passphrase" | "repeat";

/** A refusal to create the request, with a sentence for people and the control to which it belongs. */
class KeyProblem extends Error {
  constructor(
    message: string,
    readonly place: Place,
  ) {
    super(message);
  }
}

interface Problem {
  readonly text: string;
  readonly place: Place;
}

/**
 * Renders the choice of encryption in the form of a new request. Before the form is sent, the owner has chosen the recovery file of the key, or has
 * saved that of a new key which the browser keeps with a passphrase. Only the public key has a field with a name, so the form sends nothing else.
 */
export function KeyChoice({ form, isOn: isOnFirst }: { readonly form: HTMLFormElement; readonly isOn: boolean }) {
  const [isOn, setOn] = useState(isOnFirst);
  const [kept] = useState(() => findKeptKey());
  const [isOther, setOther] = useState(kept === undefined);
  const [key, setKey] = useState<OwnKey & { readonly isNew: boolean }>();
  const [isSaved, setSaved] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [isPreparing, setPreparing] = useState(false);
  const [isShown, setShown] = useState(false);
  const saveButton = useRef<HTMLButtonElement>(null);
  const [first, second] = [useRef<HTMLInputElement>(null), useRef<HTMLInputElement>(null)];
  const recipientField = useRef<HTMLInputElement>(null);

  const fail = (error: unknown): void => {
    const place = error instanceof KeyProblem ? error.place : "save";
    setProblem({ text: error instanceof Error ? error.message : String(error), place });
    const controls = { save: saveButton, passphrase: first, repeat: second };
    controls[place].current?.focus();
  };
  const make = async (): Promise<void> => {
    setProblem(undefined);
    setSaved(false);
    const made = await createOwnKey();
    // Meanwhile the owner may have chosen a key.
    setKey((chosen) => chosen ?? { ...made, isNew: true });
  };
  useEffect(() => {
    if (isOn && isOther && key === undefined) make().catch(fail);
  }, [isOn, isOther]);

  const choose = async (input: HTMLInputElement): Promise<void> => {
    const [file] = input.files ?? [];
    if (!file) return;
    setProblem(undefined);
    // Servers take no other kind of key.
    const found = (await readRecoveryFile(file)).find(({ recipient }) => isAgeRecipient(recipient));
    if (!found) {
      input.value = "";
      return setProblem({ text: texts.noKey, place: isSaved ? "passphrase" : "save" });
    }
    // The saved file of the new key shows that the key cannot be lost any more.
    setKey({ ...found, isNew: false });
    announce(texts.known(shortKey(found.recipient)));
  };

  useEffect(() => {
    for (const { current } of [first, second]) if (current) current.type = isShown ? "text" : "password";
  }, [isOn, isOther, isShown]);

  /** Returns the public key of the request. Throws if the key could be lost. */
  const prepare = async (): Promise<string> => {
    if (!isOther && kept) return kept.recipient;
    if (!key) throw new KeyProblem(texts.noKey, "save");
    if (key.isNew && !isSaved) throw new KeyProblem(texts.mustSave, "save");
    const passphrase = first.current?.value ?? "";
    if (passphrase !== "" && passphrase.length < MIN_PASSPHRASE) throw new KeyProblem(texts.tooShort, "passphrase");
    if (passphrase !== (second.current?.value ?? "")) throw new KeyProblem(texts.differs, "repeat");
    // Nobody knows whether the browser has saved the file. With a passphrase, the browser itself keeps the key.
    if (key.isNew && passphrase === "") throw new KeyProblem(texts.mustCheck, "passphrase");
    if (!(await keepKey(key, passphrase)) && passphrase !== "") throw new KeyProblem(texts.notKept, "passphrase");
    return key.recipient;
  };

  useEffect(() => {
    if (!isOn) return;
    const submit = form.querySelector<HTMLButtonElement>("button[type=submit]");
    let isPrepared = false;
    let isBusy = false;
    const setBusy = (busy: boolean): void => {
      isBusy = busy;
      submit?.setAttribute("aria-disabled", String(busy));
      submit?.classList.toggle("busy", busy);
      setPreparing(busy);
    };
    const check = async (event: Event): Promise<void> => {
      if (isPrepared) return;
      event.preventDefault();
      event.stopPropagation();
      if (isBusy) return;
      setProblem(undefined);
      setBusy(true);
      try {
        const recipient = await prepare();
        if (recipientField.current) recipientField.current.value = recipient;
        isPrepared = true;
        // A form is not submitted again before the event of its first submission has ended.
        setTimeout(() => form.requestSubmit());
      } catch (error) {
        setBusy(false);
        fail(error);
      }
    };
    const listener = (event: Event): void => void check(event);
    // Other scripts see the form only when it is really sent.
    form.addEventListener("submit", listener, { capture: true });
    return () => form.removeEventListener("submit", listener, { capture: true });
  }, [isOn, isOther, key, isSaved]);

  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          aria-labelledby="encrypt-label"
          aria-describedby="encrypt-note"
          onChange={({ currentTarget }) => setOn(currentTarget.checked)}
        />
        <span id="encrypt-label">{texts.encrypt}</span>
        <span class="quiet" id="encrypt-note">
          {texts.encryptNote}
        </span>
      </label>
      {isOn ? (
        <fieldset class="own-key">
          <legend>{texts.title}</legend>
          <p class="quiet">{texts.lead}</p>
          <input ref={recipientField} type="hidden" name="encryptTo" />
          {!isOther && kept ? (
            <>
              <p>{texts.known(shortKey(kept.recipient))}</p>
              <button class="button small" type="button" onClick={() => setOther(true)}>
                {texts.other}
              </button>
            </>
          ) : (
            <ol class="key-steps">
              <li class="key-step">
                <strong>{texts.saveStep}</strong>
                {key?.isNew === false ? (
                  <p>{texts.known(shortKey(key.recipient))}</p>
                ) : (
                  <>
                    <p class="choices">
                      <button
                        ref={saveButton}
                        class="button small"
                        type="button"
                        disabled={key === undefined}
                        aria-describedby={problem?.place === "save" ? "save-error save-note" : "save-note"}
                        onClick={() => {
                          if (!key) return;
                          saveRecoveryFile(key);
                          setSaved(true);
                          setProblem(undefined);
                        }}
                      >
                        {texts.saveFile}
                      </button>
                      {isSaved ? null : <KeyFile label={texts.have} onChoose={(input) => void choose(input).catch(fail)} />}
                    </p>
                    <ProblemText id="save-error" place="save" problem={problem} />
                    <p class="quiet" id="save-note" role="status">
                      {isSaved ? texts.saved : texts.saveFileNote}
                    </p>
                  </>
                )}
              </li>
              <li class="key-step">
                <strong>{key?.isNew === false ? texts.openStep : texts.chooseStep}</strong>
                <label class="field" for="key-passphrase">
                  {texts.passphrase}
                  <input
                    ref={first}
                    id="key-passphrase"
                    type="password"
                    autoComplete="new-password"
                    aria-invalid={problem?.place === "passphrase" ? "true" : undefined}
                    aria-describedby={problem?.place === "passphrase" ? "passphrase-error passphrase-note" : "passphrase-note"}
                  />
                  <ProblemText id="passphrase-error" place="passphrase" problem={problem} />
                  <span class="quiet" id="passphrase-note">
                    {texts.passphraseNote}
                  </span>
                </label>
                <label class="field" for="key-repeat">
                  {texts.repeat}
                  <input
                    ref={second}
                    id="key-repeat"
                    type="password"
                    autoComplete="new-password"
                    aria-invalid={problem?.place === "repeat" ? "true" : undefined}
                    aria-describedby={problem?.place === "repeat" ? "repeat-error" : undefined}
                  />
                  <ProblemText id="repeat-error" place="repeat" problem={problem} />
                </label>
                <label class="check">
                  <input type="checkbox" checked={isShown} onChange={({ currentTarget }) => setShown(currentTarget.checked)} />
                  {texts.show}
                </label>
                {isSaved && key?.isNew ? (
                  <p>
                    <KeyFile label={texts.check} onChoose={(input) => void choose(input).catch(fail)} />
                  </p>
                ) : null}
              </li>
            </ol>
          )}
          <p class="quiet" role="status">
            {isPreparing ? texts.preparing : ""}
          </p>
        </fieldset>
      ) : null}
    </>
  );
}

interface KeyFileProps {
  readonly label: string;
  onChoose(input: HTMLInputElement): void;
}

/** Renders the button that chooses a recovery file. */
const KeyFile = ({ label, onChoose }: KeyFileProps) => (
  <label class="button small key-file">
    {label}
    <input id="key-file" class="send-field" type="file" onChange={({ currentTarget }) => onChoose(currentTarget)} />
  </label>
);

interface ProblemTextProps {
  readonly id: string;
  readonly place: Place;
  readonly problem: Problem | undefined;
}

/** Renders what is wrong with a control, below it. */
const ProblemText = ({ id, place, problem }: ProblemTextProps) =>
  problem?.place === place ? (
    <span class="block field-error" id={id} role="alert">
      {problem.text}
    </span>
  ) : null;
