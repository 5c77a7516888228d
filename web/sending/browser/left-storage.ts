/** The storage that the sender has left, in bytes; undefined while none is used. */
import { useEffect, useRef, useState } from "preact/hooks";
import { onReturn } from "../../site/browser/components/on-return.ts";

export interface LeftStorage {
  readonly leftBytes: number | undefined;
  /** Reads it again; resolves to it. */
  refresh(): Promise<number | undefined>;
}

/** Begins with the storage that the page says, and reads it again when the page becomes visible. */
export function useLeftStorage(initialBytes: number | undefined): LeftStorage {
  const [leftBytes, setLeftBytes] = useState(initialBytes);
  const latest = useRef(initialBytes);
  const refresh = async (): Promise<number | undefined> => {
    latest.current = await readLeftBytes().catch(() => latest.current);
    setLeftBytes(latest.current);
    return latest.current;
  };
  useEffect(() => onReturn(() => void refresh()), []);
  return { leftBytes, refresh };
}

/** Reads the storage on the front page, which says it for accounts and addresses. */
async function readLeftBytes(): Promise<number | undefined> {
  const response = await fetch("/", { headers: { Accept: "text/html" }, cache: "no-store" });
  if (!response.ok) throw new Error(`The front page responded with status ${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const { leftBytes } = page.getElementById("send")?.dataset ?? {};
  return leftBytes === undefined ? undefined : Number(leftBytes);
}
