// A shared library without a device in it, for the tests of the plugin loader.
extern "C" int weft_test_not_a_device() { return 0; }
