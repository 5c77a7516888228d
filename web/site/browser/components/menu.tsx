/** @jsxImportSource preact */
/** A menu of actions, beside the button that opens it or at the pointer; on small windows at the lower edge. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { moveInMenu } from "./menu-keys.ts";
import { returnFocus } from "./return-focus.ts";

export interface MenuItem {
  readonly label: string;
  readonly icon: ComponentChildren;
  /** Whether a line separates the item from those above it. */
  readonly isSeparated?: boolean;
  readonly isDisabled?: boolean;
  /** Whether it is the current one of several choices; undefined for an action. */
  readonly isChecked?: boolean;
  run(): void;
}

/** The place of a menu: the pointer, or the button that opens the menu. */
export type MenuPlace = { readonly x: number; readonly y: number } | DOMRect;

export interface MenuProps {
  /** What the actions apply to. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly place: MenuPlace;
  /** Runs before the chosen action, and when the menu closes without one. */
  onClose(): void;
}

const isSheet = matchMedia("(max-width: 48rem)");
/** The distance from the edges of the window, in pixels. */
const MARGIN = 8;

/** Renders a menu, which is open while it is rendered. Afterwards, the focus returns to the previous element. */
export function Menu({ label, items, place, onClose }: MenuProps) {
  const layer = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  const listItems = (): HTMLButtonElement[] => [...(menu.current?.querySelectorAll<HTMLButtonElement>("button:enabled") ?? [])];

  useLayoutEffect(() => {
    const element = menu.current;
    if (!element) return;
    const before = document.activeElement;
    layer.current?.showPopover();
    if (!isSheet.matches) position(element, place);
    listItems()[0]?.focus({ preventScroll: true });
    return () => returnFocus(before);
  }, []);

  useEffect(() => {
    const listening = new AbortController();
    const options = { signal: listening.signal, capture: true };
    const isOutside = ({ target }: Event) => !(target instanceof Node && menu.current?.contains(target));
    addEventListener("scroll", (event) => isOutside(event) && close.current(), options);
    addEventListener("resize", () => close.current(), options);
    return () => listening.abort();
  }, []);

  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const { key } = event;
    if (key === "Escape" || key === "Tab") onClose();
    else if (!moveInMenu(key, listItems())) return;
    event.preventDefault();
  };

  const closeOutside = (event: MouseEvent): void => {
    if (event.target !== layer.current) return;
    event.preventDefault();
    onClose();
  };
  return (
    // The layer covers the page, so that a click beside the menu only closes it.
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu too.
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the menu too.
    <div ref={layer} class="menu-layer" onClick={closeOutside} onContextMenu={closeOutside} {...{ popover: "manual" }}>
      <div ref={menu} class="menu" role="menu" tabIndex={-1} aria-label={label} onKeyDown={onKeyDown}>
        <p class="menu-title" aria-hidden="true">
          <bdi>{label}</bdi>
        </p>
        {items.map(({ label, icon, isSeparated, isDisabled, isChecked, run }) => (
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: only a choice has a state.
          <button
            key={label}
            class={isSeparated ? "menu-item separated" : "menu-item"}
            type="button"
            role={isChecked === undefined ? "menuitem" : "menuitemradio"}
            aria-checked={isChecked}
            tabIndex={-1}
            disabled={isDisabled}
            onClick={() => {
              onClose();
              run();
            }}
          >
            {icon}
            {label}
          </button>
        ))}
      </div>
    </div>
  );
}

/** Places the menu below the button or the pointer; above it if there is no room. It never leaves the window. */
function position(element: HTMLElement, place: MenuPlace): void {
  const { width, height } = element.getBoundingClientRect();
  const [left, top, above] =
    place instanceof DOMRect ? [place.right - width, place.bottom + 4, place.top - 4] : [place.x, place.y, place.y];
  const fits = top + height <= innerHeight - MARGIN;
  element.style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - width - MARGIN))}px`;
  element.style.top = `${Math.max(MARGIN, fits ? top : above - height)}px`;
}
