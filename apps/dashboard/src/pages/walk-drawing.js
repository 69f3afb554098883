/** Where an arrow key leads in a drawing. Pure. */

/** returns the next box, or undefined where the key leads nowhere */
export function next(boxes, at, key) {
  const row = boxes.filter(({ y }) => y === at.y).sort((one, other) => one.x - other.x);
  switch (key) {
    case 'ArrowLeft':
      return row[row.indexOf(at) - 1];
    case 'ArrowRight':
      return row[row.indexOf(at) + 1];
    case 'Home':
      return row[0];
    case 'End':
      return row.at(-1);
    case 'ArrowUp':
      return boxes.find(({ id }) => id === at.up) ?? nearest(boxes, at, -1);
    case 'ArrowDown':
      return boxes.find(({ id }) => id === at.down) ?? nearest(boxes, at, 1);
    default:
      return undefined;
  }
}

/** Of the closest row in that direction the box whose middle is closest. */
function nearest(boxes, at, direction) {
  const there = boxes.filter(({ y }) => (y - at.y) * direction > 0);
  const far = (box) => Math.abs(box.y - at.y) * 10_000 + Math.abs(middle(box) - middle(at));
  return there.sort((one, other) => far(one) - far(other))[0];
}

function middle({ x, width }) {
  return x + width / 2;
}
