/** @jsxImportSource preact */
/** The part of the sender's bar that sends a share by mail, and shows what became of each mail. */
import { useRef, useState } from "preact/hooks";
import { sendByMail as texts } from "#texts/recipients";
import { SHARE_MAIL } from "../../../src/contract/mail.ts";
import { announce } from "../../site/browser/components/announce.ts";
import { LANGUAGE_NAMES, LANGUAGES, type Language } from "../../texts/languages.ts";
import { parseAddresses } from "../parse-addresses.ts";
import { RecipientList } from "./recipient-list.tsx";
import type { RecipientsState } from "./use-recipients.ts";

export interface SendByMailProps {
  readonly state: RecipientsState;
  /** Whether the share expires, so that its recipients can be reminded. */
  readonly expires: boolean;
  /** The message of the share, with which the message of a mail begins. */
  readonly message: string;
}

export function SendByMail({ state: { listed, send, remove }, expires, message }: SendByMailProps) {
  const [problem, setProblem] = useState<string>();
  const [addressProblem, setAddressProblem] = useState<string>();
  const [note, setNote] = useState("");
  const [isSending, setSending] = useState(false);
  const addresses = useRef<HTMLTextAreaElement>(null);
  // Where the server sends no mail, the reader has no use for the form.
  if (!listed || listed.obstacle === "no_mail") return null;
  const { obstacle, recipients } = listed;

  const refuse = (text: string): void => {
    setAddressProblem(text);
    addresses.current?.focus();
  };
  const run = async (work: () => Promise<void>, done: string): Promise<boolean> => {
    setProblem(undefined);
    setNote("");
    setSending(true);
    try {
      await work();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      setSending(false);
    }
    setNote(done);
    announce(done);
    return true;
  };
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setProblem(undefined);
    setAddressProblem(undefined);
    const fields = new FormData(form);
    const { addresses: to, wrong } = parseAddresses(String(fields.get("addresses")));
    if (wrong !== undefined) return refuse(texts.wrongAddress(wrong));
    if (to.length === 0) return refuse(texts.noAddress);
    if (to.length > SHARE_MAIL.maxRecipients) return refuse(texts.tooMany);
    const mails = {
      recipients: to,
      message: String(fields.get("message")),
      language: String(fields.get("language")) as Language,
      remind: fields.has("remind"),
    };
    if (!(await run(() => send(mails), texts.accepted(to.length)))) return;
    for (const field of form.querySelectorAll("textarea")) field.value = field.defaultValue;
  };

  return (
    <div class="send-mail">
      <h3>{texts.title}</h3>
      <RecipientList
        recipients={recipients}
        canSend={obstacle === null && !isSending}
        onAgain={({ address }) => void run(() => send({ recipients: [address] }), texts.accepted(1))}
        onRemove={(recipient) => void run(() => remove(recipient), texts.removed)}
      />
      {obstacle === null ? (
        <form
          class="sender-edit"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit(event.currentTarget);
          }}
        >
          <p class="quiet">{texts.lead}</p>
          <label class="field" for="mail-addresses">
            <span>{texts.addresses}</span>
            <textarea
              ref={addresses}
              id="mail-addresses"
              name="addresses"
              rows={2}
              inputMode="email"
              autoComplete="off"
              autoCapitalize="none"
              spellcheck={false}
              aria-invalid={addressProblem === undefined ? undefined : "true"}
              aria-describedby={addressProblem === undefined ? "mail-addresses-hint" : "mail-addresses-problem mail-addresses-hint"}
            />
            {addressProblem === undefined ? null : (
              <span class="quiet field-error" id="mail-addresses-problem" role="alert">
                {addressProblem}
              </span>
            )}
            <span class="quiet" id="mail-addresses-hint">
              {texts.addressesHint}
            </span>
          </label>
          <label class="field" for="mail-message">
            <span>{texts.message}</span>
            <textarea id="mail-message" name="message" rows={2} maxLength={SHARE_MAIL.maxMessage} defaultValue={message} dir="auto" />
          </label>
          <label class="field" for="mail-language">
            <span>{texts.language}</span>
            <select id="mail-language" name="language">
              {LANGUAGES.map((language) => (
                <option key={language} value={language} lang={language} selected={language === document.documentElement.lang}>
                  {LANGUAGE_NAMES[language]}
                </option>
              ))}
            </select>
          </label>
          {expires ? (
            <label class="check">
              <input type="checkbox" name="remind" />
              <span>{texts.remind}</span>
            </label>
          ) : null}
          {problem === undefined ? null : (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          <div class="sender-tools">
            <button class="button" type="submit" disabled={isSending}>
              {isSending ? texts.sending : texts.send}
            </button>
            <span class="sender-note">{note}</span>
          </div>
        </form>
      ) : (
        <p class="quiet">{texts.obstacles[obstacle]}</p>
      )}
    </div>
  );
}
