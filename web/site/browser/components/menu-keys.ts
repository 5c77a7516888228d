/** Moves the focus in a menu by its keys: arrows, Home, End, and the first letter of an item. Returns whether the key is one of these. */
export function moveInMenu(key: string, items: readonly HTMLElement[]): boolean {
  const current = items.findIndex((item) => item.matches(":focus"));
  const steps: Readonly<Record<string, number>> = { ArrowDown: current + 1, ArrowUp: Math.max(current, 0) - 1, Home: 0, End: -1 };
  const step = steps[key];
  if (step !== undefined) items.at(step % items.length)?.focus();
  else if (key.length === 1 && key !== " ") {
    const following = [...items.slice(current + 1), ...items.slice(0, current + 1)];
    following.find((item) => item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()))?.focus();
  } else return false;
  return true;
}
