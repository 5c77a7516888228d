/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import { claim as texts } from "#texts/site";
import { announce } from "../../../site/browser/components/announce.ts";
import type { SentShare } from "../../../site/browser/device/shares.ts";
import { FileName } from "../../../site/file-name.tsx";
import { claimShare, declineClaims, listClaimable, nameOfShare } from "./claim.ts";

interface Problem {
  readonly share: SentShare;
  readonly text: string;
}

type Step = "offered" | "claiming" | "declining" | "done";

/** Renders the offer to add all shares of this device to the account; nothing if there are none. */
export function ClaimOffer({ onClaimed }: { onClaimed(): void }) {
  const [shares, setShares] = useState<readonly SentShare[]>([]);
  const [step, setStep] = useState<Step>("offered");
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [claimed, setClaimed] = useState(0);
  const outcome = useRef<HTMLParagraphElement>(null);
  useEffect(() => void listClaimable().then(setShares, () => undefined), []);
  useEffect(() => {
    if (step === "done") outcome.current?.focus({ preventScroll: true });
  }, [step]);
  if (shares.length === 0) return null;

  const claimAll = async (): Promise<void> => {
    setStep("claiming");
    const failed: Problem[] = [];
    // Shares are claimed one after another, because each may use up the account's storage.
    for (const share of shares) {
      const text = await claimShare(share);
      if (text !== undefined) failed.push({ share, text });
    }
    setProblems(failed);
    setClaimed(shares.length - failed.length);
    setStep("done");
    announce(texts.claimed(shares.length - failed.length));
    onClaimed();
  };
  const decline = async (): Promise<void> => {
    setStep("declining");
    // The decision is stored first, so that a page that is left immediately does not offer the shares again.
    await declineClaims(shares.map(({ shortId }) => shortId)).catch(() => undefined);
    setShares([]);
    announce(texts.declined);
  };
  return (
    <section class="card claim" aria-labelledby="claim-title">
      {step === "done" ? (
        <>
          <p ref={outcome} id="claim-title" tabIndex={-1}>
            {texts.claimed(claimed)}
          </p>
          {problems.length === 0 ? null : (
            <ul class="problem">
              {problems.map(({ share, text }) => (
                <li key={share.shortId}>
                  <FileName name={nameOfShare(share)} />: {text}
                </li>
              ))}
            </ul>
          )}
        </>
      ) : (
        <>
          <h2 id="claim-title">{texts.title(shares.length)}</h2>
          <p class="quiet">{texts.note}</p>
          <div class="choices">
            <button class="button small" type="button" disabled={step !== "offered"} onClick={() => void claimAll()}>
              {step === "claiming" ? texts.claiming : texts.claim(shares.length)}
            </button>
            <button class="button small" type="button" disabled={step !== "offered"} onClick={() => void decline()}>
              {texts.decline}
            </button>
          </div>
        </>
      )}
    </section>
  );
}
