/** The bar scrolls sideways on a phone: where we are is in view. */
const show = () =>
  document.querySelector('.bar [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
show();
// A phone that is turned.
addEventListener('resize', show);
