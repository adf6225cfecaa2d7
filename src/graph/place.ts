/** Where things stand in a picture, in pixels from its upper left corner. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The point is its upper left corner. */
export interface Place extends Point, Size {}
