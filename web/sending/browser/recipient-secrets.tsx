/** @jsxImportSource preact */
/** The secrets of a share, each with a button that copies it. */
import { sending as texts } from "#texts/sending";
import { CopyButton } from "../../site/browser/components/copy-button.tsx";
import { LabelledSecret } from "../../site/labelled-secret.tsx";

export interface SecretProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  onCopied?(): void;
}

/** Renders a secret with its label and a copy button. */
export const CopyableSecret = ({ id, label, value, onCopied }: SecretProps) => (
  <LabelledSecret id={id} label={label} value={value}>
    <CopyButton source={id} label={texts.copy} copiedLabel={texts.copied} describes={label} onCopied={onCopied} />
  </LabelledSecret>
);

export interface RecipientSecretsProps {
  readonly url: string;
  /** The code; undefined for a share with the password of its sender, who knows it. */
  readonly code: string | undefined;
  readonly privateLink: string | undefined;
  /** Where the secrets are shown again. */
  readonly note?: string;
  onCopied?(): void;
}

/** Renders what a recipient needs besides the link of a protected share: the code, or the private link in place of both. */
export function RecipientSecrets({ url, code, privateLink, note, onCopied }: RecipientSecretsProps) {
  return (
    <div class="send-secrets">
      {code === undefined ? (
        <p>{texts.hasPassword}</p>
      ) : (
        <>
          <p>
            {texts.code} <code id="sender-code">{code}</code>
          </p>
          <span id="link-and-code" hidden>{`${url}\n${texts.code} ${code}`}</span>
          <CopyButton
            source="link-and-code"
            isPrimary
            label={texts.copyLinkAndCode}
            copiedLabel={texts.linkAndCodeCopied}
            onCopied={onCopied}
          />
          <CopyButton source="sender-code" label={texts.copyCode} copiedLabel={texts.copied} onCopied={onCopied} />
        </>
      )}
      {privateLink === undefined ? null : (
        <>
          <a id="sender-private-link" href={privateLink} hidden>
            {privateLink}
          </a>
          <CopyButton source="sender-private-link" label={texts.copyPrivateLink} copiedLabel={texts.copied} onCopied={onCopied} />
          <p class="quiet">
            {code === undefined ? texts.privateLinkNotePassword : texts.privateLinkNote} {note}
          </p>
        </>
      )}
      {note && privateLink === undefined ? <p class="quiet">{note}</p> : null}
    </div>
  );
}
