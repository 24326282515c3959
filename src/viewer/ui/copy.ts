import { toast } from "./toast.tsx";

/** Puts text on the clipboard, and says that it did (or could not). */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await writeText(text);
    toast({ text: `Copied ${what}.`, lastsMs: 2500 });
  } catch {
    toast({ text: `The browser did not let ${what} be copied.`, kind: "error" });
  }
}

async function writeText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return;
  }
  // A page that was not loaded from this machine or over TLS has no clipboard of its own.
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("readonly", "");
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (!isCopied) throw new Error("not copied");
}
