/** How a value stands in the text: what decides how much evidence its being a secret needs. */

export interface ValueForm {
  /** Between quotes, brackets of a tag and the like, so that it is known whole. */
  quoted: boolean;
  /** Written where nobody writes prose: `KEY=value`, a flag, a query parameter. */
  assigned: boolean;
  /** Written where nobody writes code either: an `.env` file, a flag, a query parameter. */
  verbatim: boolean;
  /** Alone on its line after the key, as in YAML. */
  alone: boolean;
  /** After ` = `. */
  spaced: boolean;
  /** In code, as far as can be told: between quotes outside JSON, or before `;`, `,` or a closing bracket. */
  code: boolean;
}

/** A member of a JSON object, a flag, a labelled field: known to be a value. */
export const JSON_FORM: ValueForm = {
  quoted: true,
  assigned: true,
  verbatim: true,
  alone: true,
  spaced: false,
  code: false,
};

/** The same without quotes. */
export const WORD_FORM: ValueForm = {
  quoted: false,
  assigned: true,
  verbatim: true,
  alone: true,
  spaced: false,
  code: false,
};

/** Between quotes in code or configuration. */
export const QUOTED_FORM: ValueForm = {
  quoted: true,
  assigned: true,
  verbatim: true,
  alone: true,
  spaced: false,
  code: true,
};

/** Between quotes after `==`. */
export const COMPARED_FORM: ValueForm = {
  quoted: true,
  assigned: false,
  verbatim: false,
  alone: false,
  spaced: false,
  code: true,
};
