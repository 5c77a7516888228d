/** @jsxImportSource preact */
/** Short messages at the edge of the page, each with an action that it may offer. */
import { useEffect, useRef, useState } from "preact/hooks";
import { announce } from "../send/format.ts";

export interface ToastAction {
  readonly label: string;
  run(): void;
}

export interface Toast {
  readonly text: string;
  readonly isProblem?: boolean;
  readonly action?: ToastAction;
  /** How long it stays, in milliseconds. */
  readonly ms?: number;
}

interface ShownToast extends Toast {
  readonly key: number;
}

export interface Toasts {
  readonly shown: readonly ShownToast[];
  /** Returns what takes the toast away. */
  show(toast: Toast): () => void;
}

const SHOWN_MS = 5000;
const PROBLEM_MS = 12_000;

export function useToasts(): Toasts {
  const [shown, setShown] = useState<readonly ShownToast[]>([]);
  const last = useRef(0);
  return {
    shown,
    show(toast) {
      const key = ++last.current;
      const hide = () => setShown((shown) => shown.filter((other) => other.key !== key));
      setShown((shown) => [...shown.slice(-2), { ...toast, key }]);
      announce(toast.text);
      setTimeout(hide, toast.ms ?? (toast.isProblem ? PROBLEM_MS : SHOWN_MS));
      return hide;
    },
  };
}

export function ToastList({ toasts: { shown }, label }: { readonly toasts: Toasts; readonly label: string }) {
  return (
    <section class="toasts" aria-label={label}>
      {shown.map(({ key, text, isProblem, action, ms }) => (
        <div key={key} class={isProblem ? "toasts-item problem" : "toasts-item"} role={isProblem ? "alert" : undefined}>
          <p>{text}</p>
          {action ? (
            <button class="button small" type="button" onClick={action.run}>
              {action.label}
            </button>
          ) : null}
          {action && ms ? <Countdown ms={ms} /> : null}
        </div>
      ))}
    </section>
  );
}

function Countdown({ ms }: { readonly ms: number }) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    bar.current?.animate([{ scale: "1 1" }, { scale: "0 1" }], { duration: ms, fill: "forwards" });
  }, []);
  return <div ref={bar} class="toasts-countdown" aria-hidden="true" />;
}
