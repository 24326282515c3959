import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

/**
 * A button that opens a list of actions, as WAI-ARIA describes a menu: arrows move, letters find, Escape goes back to the
 * button. It floats over everything, so that no list cuts it off.
 */

export interface MenuEntry {
  label: string;
  icon?: IconName;
  /** The key that does the same, for the eye. */
  key?: string;
  isDangerous?: boolean;
  run: () => void;
}

export interface MenuProps {
  /** What the button is called; shown unless `icon` is. */
  label: string;
  icon?: IconName;
  entries: readonly MenuEntry[];
  class?: string;
}

const GAP_PX = 4;

export function Menu({ label, icon, entries, class: name = "button" }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = (isBack: boolean) => {
    setOpen(false);
    if (isBack) button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={name}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={icon === undefined ? undefined : label}
        title={icon === undefined ? undefined : label}
        onClick={(event) => {
          event.stopPropagation();
          setOpen(!isOpen);
        }}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {icon === undefined ? label : <Icon name={icon} />}
        {icon === undefined && <Icon name="chevronDown" />}
      </button>
      {isOpen && <MenuList id={id} label={label} entries={entries} button={button.current} onClose={close} />}
    </>
  );
}

interface MenuListProps {
  id: string;
  label: string;
  entries: readonly MenuEntry[];
  button: HTMLElement | null;
  onClose: (isBack: boolean) => void;
}

function MenuList({ id, label, entries, button, onClose }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  // At once: the next key is meant for the menu.
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return;
    element.showPopover();
    place(element, button);
    itemsOf(element)[0]?.focus();
    const leave = (event: Event) => {
      if (event.target instanceof Node && (element.contains(event.target) || button?.contains(event.target))) return;
      onClose(false);
    };
    window.addEventListener("pointerdown", leave, true);
    window.addEventListener("scroll", leave, true);
    window.addEventListener("resize", leave);
    return () => {
      window.removeEventListener("pointerdown", leave, true);
      window.removeEventListener("scroll", leave, true);
      window.removeEventListener("resize", leave);
    };
  }, []);
  return (
    <div
      ref={list}
      id={id}
      class="menu"
      role="menu"
      tabIndex={-1}
      aria-label={label}
      popover="manual"
      onKeyDown={(event) => {
        const element = list.current;
        if (element === null) return;
        event.stopPropagation();
        if (event.key === "Escape" || event.key === "Tab") {
          if (event.key === "Escape") event.preventDefault();
          onClose(true);
        } else if (moveFocus(element, event.key)) event.preventDefault();
      }}
    >
      {entries.map((entry) => (
        <button
          key={entry.label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          class={entry.isDangerous === true ? "menu-entry dangerous" : "menu-entry"}
          onClick={(event) => {
            event.stopPropagation();
            onClose(true);
            entry.run();
          }}
        >
          <span class="menu-icon">{entry.icon !== undefined && <Icon name={entry.icon} />}</span>
          <span class="menu-label">{entry.label}</span>
          {entry.key !== undefined && <kbd>{entry.key}</kbd>}
        </button>
      ))}
    </div>
  );
}

function itemsOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("[role=menuitem]")];
}

/** Moves to another entry as a key tells; false for keys that do not. */
function moveFocus(list: HTMLElement, key: string): boolean {
  const items = itemsOf(list);
  const at = items.indexOf(document.activeElement as HTMLElement);
  let to: number;
  if (key === "ArrowDown") to = (at + 1) % items.length;
  else if (key === "ArrowUp") to = (at - 1 + items.length) % items.length;
  else if (key === "Home") to = 0;
  else if (key === "End") to = items.length - 1;
  else if (/^\p{L}$/u.test(key)) {
    const order = [...items.slice(at + 1), ...items.slice(0, at + 1)];
    const found = order.find((item) => item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()));
    to = found === undefined ? at : items.indexOf(found);
  } else return false;
  items[to]?.focus();
  return true;
}

/** Below the button, or above it where there is no room; never beyond the edge of the page. */
function place(list: HTMLElement, button: HTMLElement | null): void {
  if (button === null) return;
  const from = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const below = from.bottom + GAP_PX;
  const top = below + height <= window.innerHeight ? below : Math.max(GAP_PX, from.top - GAP_PX - height);
  const left = Math.max(GAP_PX, Math.min(from.right - width, window.innerWidth - width - GAP_PX));
  list.style.top = `${top}px`;
  list.style.left = `${left}px`;
}
