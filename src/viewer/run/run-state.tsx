import { Icon } from "../ui/icon.tsx";

/** What stands where a run would until its first events are there, and over a run that was deleted meanwhile. */

export function RunLoading() {
  return (
    <section class="run-state" aria-busy="true" aria-label="The run is being read">
      <p class="soft late">Reading the run…</p>
    </section>
  );
}

export function RemovedBanner({ onRestore }: { onRestore: () => void }) {
  return (
    <div class="loss" role="alert">
      <Icon name="trash" />
      <div>
        <strong>This run was deleted.</strong> What was read of it is still here until you leave.{" "}
        <button type="button" class="text-button" onClick={onRestore}>
          Restore it
        </button>
      </div>
    </div>
  );
}
