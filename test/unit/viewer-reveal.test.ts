import { describe, expect, test } from "vitest";
import { isInside, revealKind, revealTop } from "../../src/viewer/ui/reveal.ts";

const BOX = { scrollTop: 1000, height: 600 };
const row = (top: number, height = 30) => ({ top, bottom: top + height });

describe("bringing a row of a list into sight", () => {
  test("moves nothing for a row that is in sight", () => {
    expect(revealKind(BOX, row(1000), false)).toBeNull();
    expect(revealKind(BOX, row(1570), false)).toBeNull();
  });

  test("moves as little as is needed from row to row", () => {
    expect(revealKind(BOX, row(1600), false)).toBe("near");
    expect(revealTop(BOX, row(1600), "near")).toBe(1038);
    expect(revealKind(BOX, row(970), false)).toBe("near");
    expect(revealTop(BOX, row(970), "near")).toBe(962);
    expect(revealTop(BOX, row(5), "near")).toBe(0);
    expect(revealTop(BOX, row(1600, 900), "near")).toBe(1600);
  });

  test("puts a row that is far off about a third from the top, with room for what may still change", () => {
    for (const top of [300, 5000]) {
      expect(revealKind(BOX, row(top), false)).toBe("jump");
      const scrollTop = revealTop(BOX, row(top), "jump");
      expect(top - scrollTop).toBe(200);
      // The header above grows, the list shrinks by 31 px.
      expect(isInside({ scrollTop, height: 600 - 31 }, row(top), 0)).toBe(true);
    }
    expect(revealTop(BOX, row(90), "jump")).toBe(0);
  });

  test("counts the first row that a link leads to as far off where it is hardly in sight", () => {
    expect(revealKind({ scrollTop: 0, height: 600 }, row(565), true)).toBe("jump");
    expect(revealKind({ scrollTop: 0, height: 600 }, row(610), true)).toBe("jump");
    expect(revealKind({ scrollTop: 0, height: 600 }, row(300), true)).toBeNull();
  });

  test("shows the beginning of a row that is higher than the view, and leaves it there", () => {
    const high = row(5000, 900);
    const scrollTop = revealTop(BOX, high, "jump");
    expect(5000 - scrollTop).toBe(8);
    expect(isInside({ scrollTop, height: 600 }, high, 0)).toBe(true);
  });
});
