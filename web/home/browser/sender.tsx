/** @jsxImportSource preact */
/** The steps of sending: choosing files, then sending them with the link. */
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { send as texts } from "#texts/sending";
import { upload as uploadTexts } from "#texts/site";
import { Choose } from "../../sending/browser/choose.tsx";
import { type ChosenFile, nameChosen } from "../../sending/browser/chosen-files.ts";
import { useLeftStorage } from "../../sending/browser/left-storage.ts";
import type { SendingProps } from "../../sending/browser/sending.tsx";
import type { Job } from "../../sending/browser/use-upload.ts";
import type { ChosenOptions, Retention } from "../../sending/send-options.tsx";
import { keepFocus } from "../../site/browser/components/focus.ts";
import { onReturn } from "../../site/browser/components/on-return.ts";
import { mayKnowShares } from "../../site/browser/device/may-know-shares.ts";
import { isSignedIn } from "../../site/browser/page/signed-in.ts";
import type { RecentProps } from "./recent.tsx";

export interface SenderProps {
  readonly files: readonly File[];
  /** The site's configured URL. */
  readonly siteUrl: string;
  readonly maxBytes: number;
  readonly accountBytes: number | undefined;
  /** The storage that the sender has left; undefined if nothing of it is used. */
  readonly leftBytes: number | undefined;
  readonly retention: Retention;
  /** Whether the server accepts encrypted files. */
  readonly canEncrypt: boolean;
}

interface RecentView {
  readonly Recent: ComponentType<RecentProps>;
}
type SendingView = ComponentType<SendingProps>;

/** Loads the view of sending, when the first file is chosen. */
const loadSending = async (): Promise<SendingView> => (await import("../../sending/browser/sending.tsx")).SendingCard;

/** Loads the view of recent shares; undefined if nothing was sent from this device. */
const loadRecent = async (): Promise<RecentView | undefined> => ((await mayKnowShares()) ? await import("./recent.tsx") : undefined);

export function Sender({ files, siteUrl, maxBytes, accountBytes, leftBytes: initialBytes, retention, canEncrypt }: SenderProps) {
  const [chosen, setChosen] = useState<readonly ChosenFile[]>(() => nameChosen(files));
  const [job, setJob] = useState<Job>();
  const [view, setView] = useState<{ readonly Sending: SendingView }>();
  const [recent, setRecent] = useState<RecentView>();
  const [problem, setProblem] = useState("");
  const { leftBytes } = useLeftStorage(initialBytes);
  const options = useRef<ChosenOptions | undefined>(undefined);

  useEffect(() => {
    if (chosen.length > 0 && !view)
      void loadSending().then(
        (Sending) => setView({ Sending }),
        () => undefined,
      );
  }, [chosen, view]);

  useEffect(() => {
    const load = () => void loadRecent().then(setRecent, () => undefined);
    load();
    return onReturn(load);
  }, []);

  const start = async (job: Job): Promise<void> => {
    setProblem("");
    setJob(job);
    if (view) return;
    try {
      const Sending = await loadSending();
      setView({ Sending });
    } catch {
      setJob(undefined);
      setProblem(uploadTexts.notLoaded);
    }
  };

  const end = (left: readonly ChosenFile[], problem: string): void => {
    setJob(undefined);
    setProblem(problem);
    setChosen(left);
    keepFocus("#submit:enabled", "#file");
  };

  if (job && view) return <view.Sending {...job} siteUrl={siteUrl} maxBytes={maxBytes} onEnd={end} />;
  return (
    <>
      <div class="hero">
        <h1>{texts.title}</h1>
        <p>{isSignedIn() ? texts.leadSignedIn : texts.lead}</p>
      </div>
      <Choose
        chosen={chosen}
        onChange={setChosen}
        onSend={(job) => void start(job)}
        isStarting={job !== undefined}
        onCancel={() => setJob(undefined)}
        problem={problem}
        onProblem={setProblem}
        maxBytes={maxBytes}
        accountBytes={accountBytes}
        leftBytes={leftBytes}
        retention={retention}
        canEncrypt={canEncrypt}
        options={options.current}
        onOptions={(chosen) => {
          options.current = chosen;
        }}
      />
      {recent ? <recent.Recent onContinue={(unfinished, files) => void start({ files, settings: {}, unfinished })} /> : null}
    </>
  );
}
