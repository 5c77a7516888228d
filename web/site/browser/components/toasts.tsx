/** @jsxImportSource preact */
/** Short messages at the edge of the page, each with optional actions. */
import { render } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { announce } from "./announce.ts";

export interface ToastAction {
  readonly label: string;
  /** Whether the button gets the focus. */
  readonly isFocused?: boolean | undefined;
  run(): void;
}

export interface Toast {
  readonly text: string;
  readonly isProblem?: boolean;
  readonly actions?: readonly ToastAction[];
  /** The time for which the message is shown, in milliseconds. */
  readonly ms?: number;
}

interface ShownToast extends Toast {
  readonly key: number;
}

export interface Toasts {
  readonly shown: readonly ShownToast[];
  /** Shows a message in place of the one before; a problem and a message with actions stay. Returns a function that removes it. */
  show(toast: Toast): () => void;
}

const SHOWN_MS = 5000;
const PROBLEM_MS = 12_000;
/** The time for which a message with a question is shown. */
export const TOAST_QUESTION_MS = 60_000;

/** Returns the messages that stay when another one comes: the last two problems, and those that offer an action, such as "Undo". */
export function stayingToasts<Shown extends Toast>(shown: readonly Shown[]): readonly Shown[] {
  const problems = shown.filter(({ isProblem }) => isProblem).slice(-2);
  return shown.filter((toast) => problems.includes(toast) || (toast.actions ?? []).length > 0);
}

export function useToasts(): Toasts {
  const [shown, setShown] = useState<readonly ShownToast[]>([]);
  const last = useRef(0);
  return {
    shown,
    show(toast) {
      const key = ++last.current;
      const hide = () => setShown((shown) => shown.filter((other) => other.key !== key));
      setShown((shown) => [...stayingToasts(shown), { ...toast, key }]);
      announce(toast.text);
      setTimeout(hide, toast.ms ?? (toast.isProblem ? PROBLEM_MS : SHOWN_MS));
      return hide;
    },
  };
}

/** Mounts the messages of a page whose content is not rendered by a component. */
export function mountToasts(place: Element, label: string): Toasts["show"] {
  let show: Toasts["show"] = () => () => undefined;
  const Place = () => {
    const toasts = useToasts();
    show = toasts.show;
    return <ToastList toasts={toasts} label={label} />;
  };
  render(<Place />, place);
  return (toast) => show(toast);
}

export function ToastList({ toasts: { shown }, label }: { readonly toasts: Toasts; readonly label: string }) {
  return (
    <section class="toasts" aria-label={label}>
      {shown.map(({ key, ...toast }) => (
        <ToastItem key={key} {...toast} />
      ))}
    </section>
  );
}

interface ToastItemProps extends Toast {
  /** Whether the message replaces the heading of the page. */
  readonly isHeading?: boolean;
}

/** Renders one message. */
export function ToastItem({ text, isProblem, isHeading, actions = [], ms }: ToastItemProps) {
  const Text = isHeading ? "h1" : "p";
  const item = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const textId = useId();
  useLayoutEffect(() => {
    button.current?.focus({ preventScroll: true });
    return () => {
      // The focus moves to the content when the focused message is removed.
      if (item.current?.contains(document.activeElement)) document.getElementById("main")?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div ref={item} class={isProblem ? "toasts-item problem" : "toasts-item"} role={isProblem ? "alert" : undefined}>
      <Text class="toasts-text" id={textId}>
        {text}
      </Text>
      {actions.map(({ label, isFocused, run }) => (
        <button key={label} ref={isFocused ? button : null} class="button small" type="button" aria-describedby={textId} onClick={run}>
          {label}
        </button>
      ))}
      {actions.length > 0 && ms && !isProblem ? <Countdown ms={ms} /> : null}
    </div>
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
