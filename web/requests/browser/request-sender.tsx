/** @jsxImportSource preact */
/**
 * The steps of sending to a request: choosing files, then sending them with the receipt. Later files are added to the earlier submission of this
 * device.
 */
import { useEffect, useState } from "preact/hooks";
import { receive as texts } from "#texts/requests";
import { sending as sendingTexts, send as sendTexts } from "#texts/sending";
import { Choose } from "../../sending/browser/choose.tsx";
import { type ChosenFile, nameChosen, pickNew, toSentFile } from "../../sending/browser/chosen-files.ts";
import { type RequestWords, SendingCard } from "../../sending/browser/sending.tsx";
import { splitChosen } from "../../sending/browser/split-chosen.ts";
import type { Job } from "../../sending/browser/use-upload.ts";
import { keepFocus } from "../../site/browser/components/focus.ts";
import { date, size } from "../../site/browser/components/format.ts";
import { finishRemovals } from "../../site/browser/device/end-submission.ts";
import { mayKnowShares } from "../../site/browser/device/may-know-shares.ts";
import { listPending, toPending } from "../../site/browser/device/pending-files.ts";
import { findSentSubmission, removeShare, type SentShare, toPage, updateShare } from "../../site/browser/device/shares.ts";
import { SenderFields } from "../sender-fields.tsx";

export interface RequestSenderProps {
  readonly files: readonly File[];
  readonly token: string;
  readonly unlockToken: string | undefined;
  readonly siteUrl: string;
  readonly maxBytes: number;
  /** Whether a single file may be smaller than all together. */
  readonly isFileLimited: boolean;
  readonly isScanned: boolean;
  /** The public key to which files are encrypted; undefined if they are sent as they are. */
  readonly encryptTo: string | undefined;
}

const WORDS = {
  opening: texts.sending,
  ready: texts.sending,
  readyLead: texts.sendingLead,
  doneLead: texts.doneLead,
  failedTitle: texts.failedTitle,
  failedAll: texts.failedAll,
  failedLead: texts.failedLead,
  goOn: texts.toReceipt,
  confirmText: texts.cancelText,
} satisfies RequestWords["words"];

export function RequestSender({ files, token, unlockToken, siteUrl, maxBytes, isFileLimited, isScanned, encryptTo }: RequestSenderProps) {
  const [chosen, setChosen] = useState<readonly ChosenFile[]>(() => nameChosen(files));
  const [before, setBefore] = useState<SentShare>();
  const [job, setJob] = useState<Job>();
  const [problem, setProblem] = useState("");

  useEffect(() => {
    const find = async (): Promise<void> => {
      const found = (await mayKnowShares()) ? await findSentSubmission(token) : undefined;
      // Files of an encrypted request are never added as they are.
      setBefore(encryptTo !== undefined && found?.fileKey === undefined ? undefined : found);
    };
    void find().catch(() => undefined);
  }, [job]);
  useEffect(() => {
    const finish = async (): Promise<void> => void ((await mayKnowShares()) && (await finishRemovals(token)));
    void finish().catch(() => undefined);
  }, []);
  useEffect(() => {
    // The heading of the page and the form of a URL are for choosing. Another heading replaces them while files are sent.
    for (const part of document.querySelectorAll(".request-head, .request-url")) part.toggleAttribute("hidden", job !== undefined);
  }, [job]);

  const start = async ({ files, settings }: Job): Promise<void> => {
    setProblem("");
    if (!before || !(await exists(before))) return setJob({ files, settings });
    const missing = await listPending(before.shortId).catch(() => []);
    const { found, others } = await splitChosen(missing, before, files);
    const added = await pickNew(before, others);
    const more = [...found, ...added];
    if (more.length === 0) return missing.length > 0 ? setProblem(sendingTexts.missing(missing.length)) : location.assign(toPage(before));
    const all = [...before.files, ...added.map(toSentFile)];
    const pending = toPending(before.shortId, added);
    await updateShare(before.shortId, { files: all, isComplete: false }, { pending }).catch(() => undefined);
    setJob({ files: more, settings, unfinished: { ...before, files: all } });
  };

  /** Whether the server still has the submission. It may have been removed, or its request deleted. */
  const exists = async (submission: SentShare): Promise<boolean> => {
    const response = await fetch(submission.sharePath, { headers: { Accept: "text/html" } }).catch(() => undefined);
    if (response?.status !== 404) return true;
    await removeShare(submission.shortId).catch(() => undefined);
    return false;
  };

  const end = (left: readonly ChosenFile[], problem: string): void => {
    setJob(undefined);
    setProblem(problem);
    setChosen(left);
    keepFocus("#submit:enabled", "#file");
  };

  if (job) {
    const words = job.unfinished ? { ...WORDS, confirmText: texts.cancelAddingText } : WORDS;
    const request = { token, unlockToken, encryptTo, words };
    return <SendingCard {...job} siteUrl={siteUrl} maxBytes={maxBytes} request={request} onEnd={end} />;
  }
  return (
    <>
      <Choose
        chosen={chosen}
        onChange={setChosen}
        onSend={(job) => void start(job)}
        isStarting={false}
        onCancel={() => undefined}
        problem={problem}
        onProblem={setProblem}
        maxBytes={maxBytes}
        request={{
          isScanned,
          fields: before ? null : <SenderFields texts={texts} optional={sendTexts.optional} />,
          submitLabel: before ? texts.sendMore : texts.sendFiles,
          limits: isFileLimited ? texts.limits(size(maxBytes)) : "",
        }}
      />
      {before ? (
        <section class="card recent" aria-label={texts.receipt}>
          <p>
            {before.isComplete
              ? texts.before(sendTexts.files(before.files.length), date(new Date(before.createdAtMs).toISOString()))
              : texts.unfinished}{" "}
            {before.isComplete ? texts.adding : null}
          </p>
          <p>
            <a class="button plain" href={toPage(before)}>
              {texts.receipt}
            </a>
          </p>
        </section>
      ) : null}
    </>
  );
}
