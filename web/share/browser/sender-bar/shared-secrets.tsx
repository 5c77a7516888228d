/** @jsxImportSource preact */
import { senderBar as texts } from "#texts/share";
import { RecipientSecrets } from "../../../sending/browser/recipient-secrets.tsx";
import type { ShareSettings } from "../../../sending/browser/sender-calls.ts";
import type { SentShare } from "../../../site/browser/device/shares.ts";

interface SharedSecretsProps {
  readonly sent: SentShare;
  readonly kind: ShareSettings["unlockKind"];
  /** Where the secrets are shown again. */
  readonly note?: string;
}

/** Renders the code and the private link of a protected share. A password is not shown, because only its sender knows it. */
export function SharedSecrets({ sent: { shareUrl, unlockCode, handoffUrl }, kind, note }: SharedSecretsProps) {
  if (kind === null) return null;
  if (kind === "code" && unlockCode === undefined) return <p class="quiet">{texts.unknownCode}</p>;
  return <RecipientSecrets url={shareUrl} code={kind === "code" ? unlockCode : undefined} privateLink={handoffUrl} note={note} />;
}
