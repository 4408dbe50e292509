"use strict";
// Wine refuses options of a socket that is still connecting, which Windows does not: they wait until it is connected.
const { Socket } = require("node:net");

const setKeepAlive = Socket.prototype.setKeepAlive;

Socket.prototype.setKeepAlive = function (...given) {
  if (!this.connecting) return setKeepAlive.apply(this, given);
  this.once("connect", () => setKeepAlive.apply(this, given));
  return this;
};
