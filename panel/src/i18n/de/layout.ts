import type { layout as en } from "../en/layout";

export const layout: Record<keyof typeof en, string> = {
  "layout.title": "Layouts",
  "layout.mine": "Meine Layouts",
  "layout.published": "Veröffentlicht",
  "layout.use": "Layout {name} verwenden",
  "layout.saveAs": "Als neues Layout speichern…",
  "layout.update": "Änderungen in {name} speichern",
  "layout.rename": "Layout {name} umbenennen",
  "layout.saveGo": "Speichern",
  "layout.renameGo": "Umbenennen",
  "layout.taken": "Es gibt schon ein Layout namens {name}.",
  "layout.full": "Es gibt schon {n} Layouts. Löschen Sie zuerst eines.",
  "layout.delete": "Layout {name} löschen",
  "layout.none": "Keine gespeicherten Layouts",
  "layout.noneWhy": "Richten Sie Karten, Sprechziele und Filter ein, und speichern Sie sie hier unter einem Namen.",
  "layout.editing": "Layout wird bearbeitet",
  "layout.editHint": "Karte ziehen, oder anwählen und Alt+Pfeiltasten drücken.",
  "layout.moved": "{channel}: Platz {n} von {m}",
  "layout.reset": "Reihenfolge zurücksetzen",
  "layout.cancel": "Änderungen verwerfen",
  "layout.density": "Dichte",
};
